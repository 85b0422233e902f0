import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { AuditLog } from '../accounts/audit-log.js';
import type { Config } from '../config.js';
import type { Database } from '../database/database.js';
import { AuditRunStore } from '../usage/audit-run.store.js';
import { BalanceStore } from '../usage/balance.store.js';
import { CountyDeskResolver } from './county-desk.resolver.js';
import { CountyDeskStore } from './county-desk.store.js';
import { CustomerDeskResolver } from './customer-desk.resolver.js';
import { CustomerDeskStore } from './customer-desk.store.js';
import { DashboardStore } from './dashboard.store.js';
import { LoadResolver } from './load.resolver.js';
import { LoadDesk } from './load-desk.js';
import { LoadJobStore } from './load-job.store.js';
import { LoadRunner } from './load-runner.js';
import { OperationsResolver } from './operations.resolver.js';
import { uploadHandler } from './upload-door.js';
import { UploadStore } from './upload-store.js';

export interface OperationsRoom {
  resolvers: object[];
  /** Takes a county file; for operators only, which the caller sees to. */
  uploadHandler: RequestHandler<{ fileName: string }>;
  /** Begins to run loads. */
  start(): void;
  stop(): Promise<void>;
}

interface OperationsParts {
  config: Pick<Config, 'dataDir'>;
  database: Database;
  log: Logger;
  audit: AuditLog;
}

const mostUploadBytes = 4 * 1024 ** 3;

/** The operations room, put together. */
export function createOperations({ config: { dataDir }, database, log, audit }: OperationsParts): OperationsRoom {
  const pool = database.quietPool;
  const uploads = new UploadStore(dataDir, mostUploadBytes);
  const jobs = new LoadJobStore(pool);
  const runner = new LoadRunner({ jobs, uploads, database, dataDir, log });
  return {
    resolvers: [
      new OperationsResolver(new DashboardStore(pool), new AuditRunStore(pool), database.pool, audit),
      new CustomerDeskResolver(new CustomerDeskStore(pool, audit), new BalanceStore(pool)),
      new CountyDeskResolver(new CountyDeskStore(pool, audit, dataDir)),
      new LoadResolver(new LoadDesk(pool, uploads, jobs, runner, audit), jobs),
    ],
    uploadHandler: uploadHandler(uploads),
    start: () => runner.start(),
    stop: () => runner.stop(),
  };
}
