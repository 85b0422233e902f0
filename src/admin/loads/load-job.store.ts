import type { ClientBase } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { AppError } from '../../core/errors.js';
import { addJob } from '../../jobs/add-job.js';
import type { LoadProgress, LoadSummary } from '../../loader/load-county.js';
import { describeFetching, type FetchProgress } from '../../loader/sources/fetch-county.js';
import { commandLine } from '../../operator-log/record-action.js';
import { describeFindings, unaccepted } from '../../releases/lifecycle/findings.js';
import { LoadJobEntity } from './load-job.entity.js';
import type { LoadJob, LoadJobPage, LoadJobsArgs, LoadOptionsInput } from './load-job.js';

export interface NewLoadJob {
  /** Null: fetched from the county's own service. */
  uploadId: string | null;
  fileName: string;
  options: LoadOptionsInput;
  /** The account of the operator, or `refreshedBy`. */
  startedBy: string;
}

export type ClaimedJob = Pick<NewLoadJob, 'uploadId' | 'options' | 'startedBy'> & { id: number };

const keyPrefix = 'load-job ';
const task = 'load-county';
// A load of the release before waits for the server that has its file. If none is loading for this long, that server is gone.
const unclaimedSeconds = 120;

/** Loads, wherever they were started. They are rows, so every server shows the same. */
export class LoadJobStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. The text is found in files, counties, operators and messages. */
  async list({ search, state, limit, offset }: LoadJobsArgs): Promise<LoadJobPage> {
    const found = `${loads}
     where ($2::text is null or l.state = $2)
       and position(lower($3) in lower(concat_ws(' ', l."fileName", l."countyFips", c.name || ', ' || c.state, u.email, l."startedBy", l.message))) > 0`;
    const filter = [commandLine, state ?? null, search ?? ''];
    const [jobs, [{ total }]] = await Promise.all([
      this.dataSource.query<LoadJob[]>(`${found} order by l."createdAt" desc, l.number desc limit $4 offset $5`, [
        ...filter,
        limit,
        offset,
      ]),
      this.dataSource.query<[{ total: number }]>(`select count(*)::integer as total from (${found}) counted`, filter),
    ]);
    return { jobs, total };
  }

  async byId(id: string, manager: EntityManager = this.dataSource.manager): Promise<LoadJob | null> {
    const [load] = await manager.query<LoadJob[]>(`${loads} where l.id = $2`, [commandLine, id]);
    return load ?? null;
  }

  /** The load that makes or made a release; null if it is not known. */
  async ofRelease(releaseId: number): Promise<LoadJob | null> {
    const [load] = await this.dataSource.query<LoadJob[]>(`${loads} where l."releaseId" = $2`, [commandLine, releaseId]);
    return load ?? null;
  }

  /** The input of a failed load; null if the load did not fail. */
  async failed(id: string): Promise<Pick<NewLoadJob, 'uploadId' | 'options'> | null> {
    return /^\d{1,9}$/.test(id) ? this.jobs.findOneBy({ id: Number(id), state: 'failed' }) : null;
  }

  /** Adds a load and its job. The servers run one load at a time. */
  async insert(job: NewLoadJob, manager: EntityManager): Promise<LoadJob> {
    const { id: loadJobId } = await manager.save(manager.create(LoadJobEntity, { ...job, countyFips: job.options.countyFips }));
    await addJob(manager, task, { loadJobId }, { queue: task, key: `${keyPrefix}${loadJobId}`, maxAttempts: 1 });
    return (await this.byId(String(loadJobId), manager))!;
  }

  /** Whether an unfinished load needs an upload, as its file or as its tax roll. */
  async isWanted(uploadId: string): Promise<boolean> {
    return this.jobs
      .createQueryBuilder('j')
      .where(`(j.uploadId = :uploadId or j.options ->> 'joinUploadId' = :uploadId::text) and j.state in ('waiting', 'running')`, {
        uploadId,
      })
      .getExists();
  }

  /** Starts a load. Null if it is no longer waiting. */
  async claim(id: number): Promise<ClaimedJob | null> {
    const { affected } = await this.jobs.update({ id, state: 'waiting' }, { state: 'running' });
    return affected === 1 ? this.jobs.findOneBy({ id }) : null;
  }

  async progress(id: number, { releaseId, bytesRead, byteLength, read, loaded, rejected }: LoadProgress): Promise<void> {
    await this.jobs.update(
      { id, state: 'running' },
      {
        releaseId,
        bytesRead: String(bytesRead),
        bytesTotal: String(byteLength),
        rowsRead: read,
        rowsLoaded: loaded,
        rowsRejected: rejected,
        message: null,
      },
    );
  }

  /** The progress of a load while it is being fetched. Its size is estimated from the records so far. */
  async fetching(id: number, done: FetchProgress): Promise<void> {
    const { records, total, bytes } = done;
    const bytesTotal = total === null || records === 0 ? 0 : Math.round((bytes * total) / records);
    await this.jobs.update(
      { id, state: 'running' },
      { bytesRead: String(bytes), bytesTotal: String(bytesTotal), message: `Fetching: ${describeFetching(done)}.` },
    );
  }

  /** Whether a load of the county, or of the part, has not ended. */
  async isUnderWay(fips: string, part: string | null): Promise<boolean> {
    return this.jobs
      .createQueryBuilder('j')
      .where(`j.countyFips = :fips and coalesce(j.options ->> 'part', '') = :part and j.state in ('waiting', 'running')`, {
        fips,
        part: part ?? '',
      })
      .getExists();
  }

  /** Marks a load as failed unless it is finished. */
  async fail(id: number, message: string): Promise<void> {
    await this.jobs.update({ id, state: 'running' }, { state: 'failed', message, finishedAt: () => 'service_now()' });
  }

  /** Marks loads as failed whose server is gone. @returns whether there were any */
  async failAbandoned(): Promise<boolean> {
    const failed = await this.dataSource.query<object[]>(
      `with job as materialized (
         select key, task_identifier, locked_at is not null as is_running, locked_at is not null or attempts < max_attempts as is_alive
           from graphile_worker.jobs where key like $1 || '%'
       ), abandoned as materialized (
         select l.id, l.state
           from load_job l left join job j on j.key = $1 || l.id
          where l.state in ('waiting', 'running')
            and (coalesce(not j.is_alive, true)
                 or (not j.is_running and j.task_identifier <> $5 and l.created_at < service_now() - make_interval(secs => $2)
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
        'The server that ran the load is gone. The previous release is still current. Try the load again.',
        'No server has the file anymore. Upload it again.',
        task,
      ],
    );
    return failed.length > 0;
  }

  private get jobs() {
    return this.dataSource.getRepository(LoadJobEntity);
  }
}

/**
 * Call this in the transaction that publishes or holds the release, so that no load is both failed and published.
 * @throws AppError conflict if the load was marked as failed meanwhile
 */
export async function finishLoadJob(tx: ClientBase, id: number, summary: LoadSummary): Promise<void> {
  const { releaseId, state, read, loaded, rejected, warnings, report } = summary;
  const open = unaccepted(report.findings, report.accepted);
  const message = [...(open.length > 0 ? [`Held: ${describeFindings(open)}.`] : []), ...warnings].join(' ');
  const { rowCount } = await tx.query(
    `update load_job
        set state = $7, release_id = $2, rows_read = $3, rows_loaded = $4, rows_rejected = $5, message = $6,
            bytes_read = bytes_total, finished_at = service_now()
      where id = $1 and state = 'running'`,
    [id, releaseId, read, loaded, rejected, message || null, state],
  );
  if (rowCount !== 1) throw new AppError('conflict', 'The load was marked as failed before it could be published.');
}

// Of a load on the command line there is only its release, which names nobody who started it. Its progress is shown in the terminal.
const loads = `
  select l.id, l."countyFips", c.name as "countyName", c.state as "countyState", l."fileName", l.state, l."bytesRead", l."bytesTotal",
         l."rowsRead", l."rowsLoaded", l."rowsRejected", l.message, l."releaseId", coalesce(u.email, l."startedBy") as "startedBy",
         l."createdAt", l."finishedAt", l."isRetriable"
    from (
      select id::text, id as number, county_fips as "countyFips", file_name as "fileName", state, bytes_read as "bytesRead",
             bytes_total as "bytesTotal", rows_read as "rowsRead", rows_loaded as "rowsLoaded", rows_rejected as "rowsRejected", message,
             release_id as "releaseId", started_by as "startedBy", created_at as "createdAt", finished_at as "finishedAt",
             state = 'failed' as "isRetriable"
        from load_job
      union all
      select 'release-' || id, id, county_fips, source,
             case state
               when 'loading' then 'running'
               when 'pruned' then case when published_at is null then 'held' else 'published' end
               else state
             end,
             0, 0, read_count, loaded_count - kept_count, rejected_count, failure,
             id, $1, started_at, coalesce(ended_at, published_at), false
        from parcel_release where started_by is null
    ) l
    join county c on c.fips = l."countyFips"
    left join auth."user" u on u.id = l."startedBy"`;
