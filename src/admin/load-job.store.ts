import type { ClientBase, Pool } from 'pg';
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

// The first half of an advisory lock's key; the second is the job's id.
const lockedThing = 0x6a6f6273;

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

  async insert({ uploadId, fileName, options, startedBy }: NewLoadJob, tx: ClientBase): Promise<LoadJob> {
    const { rows } = await tx.query<{ id: number }>(
      'insert into load_job (county_fips, upload_id, file_name, options, started_by) values ($1, $2, $3, $4, $5) returning id',
      [options.countyFips, uploadId, fileName, JSON.stringify(options), startedBy],
    );
    return (await this.byId(String(rows[0]!.id), tx))!;
  }

  /** Jobs that nobody runs yet, the oldest first. */
  async waiting(): Promise<{ id: number; uploadId: string }[]> {
    const { rows } = await this.pool.query(`select id, upload_id as "uploadId" from load_job where state = 'waiting' order by id`);
    return rows;
  }

  /** Takes a job for as long as this connection lives; null when another server was faster. */
  async claim(id: number, connection: ClientBase): Promise<ClaimedJob | null> {
    const { rows: locks } = await connection.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', [lockedThing, id]);
    if (!locks[0]!.locked) return null;
    const { rows } = await connection.query<ClaimedJob>(
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

  async publish(id: number, { releaseId, read, loaded, rejected, warnings }: LoadSummary): Promise<void> {
    await this.pool.query(
      `update load_job
          set state = 'published', release_id = $2, rows_read = $3, rows_loaded = $4, rows_rejected = $5, message = $6,
              bytes_read = bytes_total, finished_at = service_now()
        where id = $1`,
      [id, releaseId, read, loaded, rejected, warnings.join(' ') || null],
    );
  }

  async fail(id: number, message: string): Promise<void> {
    await this.pool.query(`update load_job set state = 'failed', message = $2, finished_at = service_now() where id = $1`, [id, message]);
  }

  /** Ends jobs whose server is gone: with it went the connection that held the job's lock. No clock is asked. */
  async failOrphans(): Promise<void> {
    await this.pool.query(
      `with running as materialized (
         select id from load_job where state = 'running' for update skip locked
       ), orphan as materialized (
         select id from running where pg_try_advisory_xact_lock($1, id)
       )
       update load_job j set state = 'failed', message = $2, finished_at = service_now() from orphan o where j.id = o.id`,
      [lockedThing, 'The server that ran it stopped. What was published before is still current: send the file again.'],
    );
  }

  /** Ends jobs that no server has taken although none was busy for a while: the one with the file is gone. */
  async failUnclaimed(afterSeconds: number): Promise<void> {
    await this.pool.query(
      `update load_job set state = 'failed', message = $2, finished_at = service_now()
        where state = 'waiting' and created_at < service_now() - make_interval(secs => $1)
          and not exists (
            select from load_job r where r.state = 'running' or r.finished_at > service_now() - make_interval(secs => $1)
          )`,
      [afterSeconds, 'No server has the file any more: send it again.'],
    );
  }
}

const columns = `
  select j.id::text, j.county_fips as "countyFips", j.file_name as "fileName", j.state, j.bytes_read::text as "bytesRead",
         j.bytes_total::text as "bytesTotal", j.rows_read as "rowsRead", j.rows_loaded as "rowsLoaded", j.rows_rejected as "rowsRejected",
         j.message, j.release_id as "releaseId", coalesce(u.email, j.started_by) as "startedBy",
         j.created_at as "createdAt", j.finished_at as "finishedAt"
    from load_job j left join auth."user" u on u.id = j.started_by`;
