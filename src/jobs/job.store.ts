import type { DataSource, EntityManager } from 'typeorm';
import { hasText } from '../core/parameters.js';
import type { Job } from './job.js';

export interface JobsRange {
  state?: Job['state'] | null;
  /** Part of a task's name, an id or an error. */
  search?: string | null;
  limit: number;
  offset: number;
}

/** Jobs as operators see them. Uses only the public views and functions of graphile-worker. */
export class JobStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Failed jobs first, then running ones, then by due time. */
  async list({ state, search, limit, offset }: JobsRange): Promise<{ jobs: Job[]; total: number }> {
    const filter = [state ?? null, search ?? ''];
    const found = `${jobs} where ($1::text is null or state = $1) and ${hasText('$2', 'id', 'task', '"lastError"')}`;
    const [page, [{ total }]] = await Promise.all([
      this.dataSource.query<Job[]>(
        `${found} order by array_position(array['failed', 'running', 'waiting'], state), "runAt", id limit $3 offset $4`,
        [...filter, limit, offset],
      ),
      this.dataSource.query<[{ total: number }]>(`select count(*)::integer as total from (${found}) counted`, filter),
    ]);
    return { jobs: page, total };
  }

  async byId(id: string, manager: EntityManager): Promise<Job | null> {
    if (!/^\d{1,18}$/.test(id)) return null;
    const [job] = await manager.query<Job[]>(`${jobs} where id = $1`, [id]);
    return job ?? null;
  }

  /** Makes a job due now, with all its attempts. Null if it is running. */
  async retry(id: string, manager: EntityManager): Promise<Job | null> {
    const found = await manager.query<object[]>(
      'select id from graphile_worker.reschedule_jobs(array[$1::bigint], run_at => now(), attempts => 0)',
      [id],
    );
    return found.length === 1 ? this.byId(id, manager) : null;
  }
}

const jobs = `
  select * from (
    select id::text, task_identifier as task, attempts, max_attempts as "maxAttempts", last_error as "lastError",
           run_at as "runAt", created_at as "createdAt",
           case when locked_at is not null then 'running' when attempts >= max_attempts then 'failed' else 'waiting' end as state
      from graphile_worker.jobs
  ) job`;
