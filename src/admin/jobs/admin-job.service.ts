import type { DataSource } from 'typeorm';
import { AppError } from '../../core/errors.js';
import type { JobFilter, JobStore } from '../../jobs/job.store.js';
import type { OperatorLog } from '../../operator-log/operator-log.js';
import type { Job, JobPage } from './admin-job.js';

/** Background jobs, for operators. */
export class AdminJobService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly jobs: JobStore,
    private readonly operatorLog: OperatorLog,
  ) {}

  list(filter: JobFilter, limit: number, offset: number): Promise<JobPage> {
    return this.jobs.list(filter, limit, offset);
  }

  /**
   * Makes a failed or waiting job due now, with all its attempts.
   * @throws AppError not_found for an unknown job, conflict for a running one
   */
  retry(actor: string, id: string): Promise<Job> {
    return this.dataSource.transaction(async (manager) => {
      const before = await this.jobs.byId(id, manager);
      if (!before) throw new AppError('not_found', 'There is no such job. It may have finished.');
      const job = await this.jobs.retry(id, manager);
      if (!job) throw new AppError('conflict', 'The job is already running.');
      const { task, state, attempts } = before;
      await this.operatorLog.write({ actor, action: 'retry job', target: id, reason: null, before: { task, state, attempts } }, manager);
      return job;
    });
  }
}
