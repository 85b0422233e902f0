import type { Pool, QueryConfig } from 'pg';

const queryMs = 5_000;

/**
 * A server that runs jobs renews their locks every few seconds. Jobs whose lock was not renewed for `leaseSeconds` belong to a server
 * that was killed or lost its database, and may be run by others. The library by itself would wait for four hours.
 */
export class WorkerLease {
  constructor(
    private readonly pool: Pool,
    private readonly leaseSeconds: number,
  ) {}

  async renew(workerId: string): Promise<void> {
    await this.query(
      `with renewed as (
         update graphile_worker._private_jobs set locked_at = now() where locked_by = $1
       )
       update graphile_worker._private_job_queues set locked_at = now() where locked_by = $1`,
      [workerId],
    );
  }

  /** Unlocks the jobs of servers that have ended. The interrupted attempt counts, so a job that crashes servers fails for good some day. */
  async releaseDead(): Promise<void> {
    await this.query(
      `select graphile_worker.force_unlock_workers(array_agg(locked_by))
         from (
           select locked_by, locked_at from graphile_worker._private_jobs where locked_at is not null
           union
           select locked_by, locked_at from graphile_worker._private_job_queues where locked_at is not null
         ) locked
        where locked_at < now() - make_interval(secs => $1)
       having count(*) > 0`,
      [this.leaseSeconds],
    );
  }

  private async query(text: string, values: unknown[]): Promise<void> {
    await this.pool.query({ text, values, query_timeout: queryMs } as QueryConfig);
  }
}
