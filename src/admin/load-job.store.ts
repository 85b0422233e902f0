import type { ClientBase, Pool } from 'pg';
import { AppError } from '../errors.js';
import { addJob } from '../jobs/add-job.js';
import type { LoadProgress, LoadSummary } from '../loader/load-county.js';
import type { LoadJob, LoadJobPage, LoadOptionsInput } from './load-job.js';

export interface NewLoadJob {
  uploadId: string;
  fileName: string;
  options: LoadOptionsInput;
  /** The account of the operator. */
  startedBy: string;
}

export type ClaimedJob = Pick<NewLoadJob, 'uploadId' | 'options' | 'startedBy'> & { id: number };

const keyPrefix = 'load-job ';
// How long a load may wait while no server loads anything, before it is clear that the server with the file is gone.
const unclaimedSeconds = 120;

/** Loads as rows, so that every server and every browser sees the same of them. */
export class LoadJobStore {
  constructor(private readonly pool: Pool) {}

  async list(limit: number, offset: number): Promise<LoadJobPage> {
    const [page, count] = await Promise.all([
      this.pool.query<LoadJob>(`${columns} order by j.id desc limit $1 offset $2`, [limit, offset]),
      this.pool.query<{ total: number }>('select count(*)::integer as total from load_job'),
    ]);
    return { jobs: page.rows, total: count.rows[0]!.total };
  }

  async byId(id: string, db: ClientBase | Pool = this.pool): Promise<LoadJob | null> {
    if (!/^\d{1,9}$/.test(id)) return null;
    const { rows } = await db.query<LoadJob>(`${columns} where j.id = $1`, [id]);
    return rows[0] ?? null;
  }

  /** Adds a load and the job that does it, for the server that has this DATA_DIR; one at a time there. */
  async insert({ uploadId, fileName, options, startedBy }: NewLoadJob, task: `load-county:${string}`, tx: ClientBase): Promise<LoadJob> {
    const { rows } = await tx.query<{ id: number }>(
      'insert into load_job (county_fips, upload_id, file_name, options, started_by) values ($1, $2, $3, $4, $5) returning id',
      [options.countyFips, uploadId, fileName, JSON.stringify(options), startedBy],
    );
    const loadJobId = rows[0]!.id;
    await addJob(tx, task, { loadJobId }, { queue: task, key: `${keyPrefix}${loadJobId}`, maxAttempts: 1 });
    return (await this.byId(String(loadJobId), tx))!;
  }

  /** Begins a load; null when it does not wait any more. */
  async claim(id: number): Promise<ClaimedJob | null> {
    const { rows } = await this.pool.query<ClaimedJob>(
      `update load_job set state = 'running' where id = $1 and state = 'waiting'
       returning id, upload_id as "uploadId", options, started_by as "startedBy"`,
      [id],
    );
    return rows[0] ?? null;
  }

  async progress(id: number, { bytesRead, byteLength, read, loaded, rejected }: LoadProgress): Promise<void> {
    await this.pool.query(
      `update load_job set bytes_read = $2, bytes_total = $3, rows_read = $4, rows_loaded = $5, rows_rejected = $6
        where id = $1 and state = 'running'`,
      [id, bytesRead, byteLength, read, loaded, rejected],
    );
  }

  /** One that has just been published stays so. */
  async fail(id: number, message: string): Promise<void> {
    await this.pool.query(
      `update load_job set state = 'failed', message = $2, finished_at = service_now() where id = $1 and state = 'running'`,
      [id, message],
    );
  }

  /** Ends loads that nobody does (any more): their server died, or none has taken them although none loads anything. */
  async failAbandoned(): Promise<void> {
    await this.pool.query(
      `with job as materialized (
         select key, task_identifier, locked_at is not null as is_running, locked_at is not null or attempts < max_attempts as is_alive
           from graphile_worker.jobs where key like $1 || '%'
       ), abandoned as materialized (
         select l.id, l.state
           from load_job l left join job j on j.key = $1 || l.id
          where l.state in ('waiting', 'running')
            and (coalesce(not j.is_alive, true)
                 or (not j.is_running and l.created_at < service_now() - make_interval(secs => $2)
                     and not exists (select from job busy where busy.task_identifier = j.task_identifier and busy.is_running)
                     and not exists (select from load_job r where r.finished_at > service_now() - make_interval(secs => $2))))
            for update of l skip locked
       ), failed as (
         update load_job l
            set state = 'failed', message = case a.state when 'running' then $3 else $4 end, finished_at = service_now()
           from abandoned a where l.id = a.id
       )
       select graphile_worker.remove_job($1 || id) from abandoned`,
      [
        keyPrefix,
        unclaimedSeconds,
        'The server that ran it stopped. What was published before is still current: send the file again.',
        'No server has the file any more: send it again.',
      ],
    );
  }
}

/**
 * Belongs into the transaction that publishes the release, so that no load is both failed and published.
 * @throws AppError conflict when the load was given up meanwhile
 */
export async function publishLoadJob(tx: ClientBase, id: number, summary: LoadSummary): Promise<void> {
  const { releaseId, read, loaded, rejected, warnings } = summary;
  const { rowCount } = await tx.query(
    `update load_job
        set state = 'published', release_id = $2, rows_read = $3, rows_loaded = $4, rows_rejected = $5, message = $6,
            bytes_read = bytes_total, finished_at = service_now()
      where id = $1 and state = 'running'`,
    [id, releaseId, read, loaded, rejected, warnings.join(' ') || null],
  );
  if (rowCount !== 1) throw new AppError('conflict', 'The load was given up before it could be published.');
}

const columns = `
  select j.id::text, j.county_fips as "countyFips", j.file_name as "fileName", j.state, j.bytes_read::text as "bytesRead",
         j.bytes_total::text as "bytesTotal", j.rows_read as "rowsRead", j.rows_loaded as "rowsLoaded", j.rows_rejected as "rowsRejected",
         j.message, j.release_id as "releaseId", coalesce(u.email, j.started_by) as "startedBy",
         j.created_at as "createdAt", j.finished_at as "finishedAt"
    from load_job j left join auth."user" u on u.id = j.started_by`;
