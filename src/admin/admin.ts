import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { AuditLog } from '../audit-log/audit-log.js';
import type { Config } from '../config.js';
import type { Database } from '../database/database.js';
import { AuditRunStore } from '../usage/audit-run.store.js';
import { BalanceStore } from '../usage/balance.store.js';
import { AdminCountyResolver } from './admin-county.resolver.js';
import { AdminCountyService } from './admin-county.service.js';
import { AdminCustomerResolver } from './admin-customer.resolver.js';
import { AdminCustomerService } from './admin-customer.service.js';
import { AdminLoadResolver } from './admin-load.resolver.js';
import { AdminLoadService } from './admin-load.service.js';
import { DashboardResolver } from './dashboard.resolver.js';
import { DashboardStore } from './dashboard.store.js';
import { LoadJobStore } from './load-job.store.js';
import { LoadRunner } from './load-runner.js';
import { uploadHandler } from './upload-handler.js';
import { UploadStore } from './upload-store.js';

export interface AdminRoom {
  resolvers: object[];
  /** Takes a county file; for operators only, which the caller sees to. */
  uploadHandler: RequestHandler<{ fileName: string }>;
  /** Begins to run loads. */
  start(): void;
  stop(): Promise<void>;
}

interface AdminParts {
  config: Pick<Config, 'dataDir'>;
  database: Database;
  log: Logger;
  audit: AuditLog;
}

const maxUploadBytes = 4 * 1024 ** 3;

/** The admin room, put together. */
export function createAdmin({ config: { dataDir }, database, log, audit }: AdminParts): AdminRoom {
  const pool = database.controlPool;
  const uploads = new UploadStore(dataDir, maxUploadBytes);
  const jobs = new LoadJobStore(pool);
  const runner = new LoadRunner({ jobs, uploads, database, dataDir, log });
  return {
    resolvers: [
      new DashboardResolver(new DashboardStore(pool), new AuditRunStore(pool), database.pool, audit),
      new AdminCustomerResolver(new AdminCustomerService(pool, audit), new BalanceStore(pool)),
      new AdminCountyResolver(new AdminCountyService(pool, audit, dataDir)),
      new AdminLoadResolver(new AdminLoadService(pool, uploads, jobs, runner, audit), jobs),
    ],
    uploadHandler: uploadHandler(uploads),
    start: () => runner.start(),
    stop: () => runner.stop(),
  };
}
