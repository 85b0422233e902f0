import type { ClientBase } from 'pg';
import type { Database } from '../database/database.js';
import type { ReleaseReport } from '../releases/catalogue/release-report.js';
import type { CountyToLoad } from '../releases/lifecycle/county-lock.js';
import type { DeadLoad } from '../releases/lifecycle/dead-loads.js';
import type { ReleaseCounts } from '../releases/lifecycle/release.store.js';
import type { LoadOptions } from './plan/load-options.js';
import type { PreparedLoad } from './prepare-load.js';
import type { PublishedLoad } from './publish-load.js';

export interface LoadRequest {
  database: Pick<Database, 'url'>;
  county: string;
  files: string[];
  options?: LoadOptions;
  /** Called after each batch: more often than a display needs. */
  onProgress?(progress: LoadProgress): void;
  /** Called before the first row, with the plan and the county's loads whose process died. */
  onStart?(start: LoadStart): void;
  /** Called within the transaction that publishes or holds the release. If it throws, the load is rolled back. */
  onDone?(tx: ClientBase, summary: LoadSummary): Promise<void>;
  signal?: AbortSignal;
}

export interface LoadStart {
  prepared: PreparedLoad;
  deadLoads: DeadLoad[];
}

export interface LoadProgress extends ReleaseCounts {
  releaseId: number;
  bytesRead: number;
  byteLength: number;
}

export interface LoadSummary extends ReleaseCounts, PublishedLoad {
  county: Pick<CountyToLoad, 'fips' | 'name' | 'state'>;
  releaseId: number;
  report: ReleaseReport;
  format: string;
  withoutGeometry: number;
  withoutApn: number;
  warnings: string[];
  seconds: number;
}
