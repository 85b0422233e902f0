import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { SessionStore } from '../accounts/sessions/session.store.js';
import { AuditRunStore } from '../audit/audit-run.store.js';
import type { Config } from '../core/config.js';
import type { Database } from '../database/database.js';
import { RepeatedWork } from '../jobs/repeated-work.js';
import type { Task } from '../jobs/task.js';
import { sourceAccess } from '../loader/sources/fetching/fetched-source.js';
import { closeDeadLoads } from '../releases/lifecycle/dead-loads.js';
import { LedgerStore } from '../usage/ledger.store.js';
import { AdminActionResolver } from './admin-action.resolver.js';
import { AdminJobResolver } from './admin-job.resolver.js';
import { AdminCountyResolver } from './counties/admin-county.resolver.js';
import { CountyProfileResolver } from './counties/county-profile.resolver.js';
import { ReleaseResolver } from './counties/release.resolver.js';
import { AccountBillingResolver } from './customers/account-billing.resolver.js';
import { EntryAccountResolver, TokenAccountResolver } from './customers/account-fields.resolver.js';
import { AccountUseResolver } from './customers/account-use.resolver.js';
import { AdjustBalanceResolver } from './customers/adjust-balance.resolver.js';
import { TrialTakersResolver } from './customers/trial-takers.resolver.js';
import { DashboardResolver } from './dashboard/dashboard.resolver.js';
import { dataDirId, pruneFiles } from './data-dir.js';
import { CountySourceResolver } from './loads/county-source.resolver.js';
import { LoadJobResolver } from './loads/load-job.resolver.js';
import { LoadJobStore } from './loads/load-job.store.js';
import { LoadPreviewResolver } from './loads/load-preview.resolver.js';
import { loadTask } from './loads/load-task.js';
import { refreshCounties } from './loads/refresh-task.js';
import { UploadCopies } from './loads/upload-copies.js';
import { pruneUploads, UploadStore, uploadHandler } from './loads/upload-store.js';
import { emailsOf } from './row-loaders.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'load-county': { loadJobId: number };
      'refresh-counties': object;
      'prune-uploads': object;
      /** Ends with the id of the DATA_DIR. */
      [name: `prune-files:${string}`]: object;
    }
  }
}

export interface AdminRoom {
  resolvers: object[];
  /** Receives a county file. Must be mounted on a route for operators only. */
  uploadHandler: RequestHandler<{ fileName: string }>;
  tasks: Task[];
  /** Starts the search for abandoned loads. */
  start(): void;
  stop(): Promise<void>;
}

const abandonedMs = 5_000;

export async function createAdmin(
  config: Pick<Config, 'dataDir' | 'uploadsMaxMb' | 'sourcePrivateHosts' | 'sourceHeaders' | 'refreshOlderThanDays'>,
  database: Database,
  log: Logger,
): Promise<AdminRoom> {
  const { controlPool: pool, controlDataSource: dataSource } = database;
  const { dataDir, uploadsMaxMb, refreshOlderThanDays: olderThanDays } = config;
  const access = sourceAccess(config);
  const fetchOptions = { log, ...access };
  const uploads = new UploadStore(pool, uploadsMaxMb * 1024 ** 2);
  const copies = new UploadCopies(uploads);
  const emailOf = emailsOf(dataSource);
  const loads = new LoadJobStore(dataSource);
  const id = await dataDirId(dataDir);
  const watch = new RepeatedWork(
    'abandoned loads',
    abandonedMs,
    async () => {
      if (await loads.failAbandoned()) await closeDeadLoads(pool); // their releases
    },
    log,
  );
  return {
    resolvers: [
      new DashboardResolver(new AuditRunStore(dataSource, dataDir), database.reportPool, dataSource, dataDir),
      new AdjustBalanceResolver(dataSource, new LedgerStore(pool), new SessionStore(dataSource)),
      new TokenAccountResolver(emailOf),
      new EntryAccountResolver(emailOf),
      new AdminCountyResolver(dataSource),
      new ReleaseResolver(dataSource, pool),
      new CountyProfileResolver(dataSource, emailOf),
      new LoadPreviewResolver(copies, { databaseUrl: database.url, dataDir, access }),
      new LoadJobResolver(pool, dataSource, loads, uploads),
      new CountySourceResolver(pool, fetchOptions),
      new AdminActionResolver(dataSource, emailOf),
      new TrialTakersResolver(database.reportPool),
      new AccountUseResolver(dataSource),
      new AccountBillingResolver(dataSource),
      new AdminJobResolver(dataSource),
    ],
    uploadHandler: uploadHandler(uploads),
    tasks: [
      loadTask({ jobs: loads, uploads, copies, database, dataDir, access, log }),
      pruneUploads(uploads),
      pruneFiles(id, dataDir, pool),
      ...(olderThanDays === undefined ? [] : [refreshCounties({ pool, dataSource, jobs: loads, olderThanDays, fetchOptions })]),
    ],
    start: () => watch.start(),
    stop: async () => {
      await watch.stop();
      await copies.close();
    },
  };
}
