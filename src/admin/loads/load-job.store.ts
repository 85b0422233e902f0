import type { DataSource, EntityManager } from 'typeorm';
import { hasText } from '../../core/parameters.js';
import { addJob } from '../../jobs/task.js';
import { commandLine } from '../../operator-log/record-action.js';
import { stateSql } from '../counties/release.resolver.js';
import { LoadJob, type LoadJobPage, type LoadJobProgress, type LoadJobsArgs } from './load-job.js';

export type NewLoadJob = Pick<LoadJob, 'uploadId' | 'fileName' | 'options' | 'startedBy'>;

const keyPrefix = 'load-job ';
const task = 'load-county';
const unfinished = `state in ('waiting', 'running')`;

/** Loads, wherever they were started. They are rows, so every server shows the same. */
export class LoadJobStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. The text is found in files, counties, operators and messages. */
  async list({ search, state, limit, offset }: LoadJobsArgs): Promise<LoadJobPage> {
    const found = `${loads}
     where ($2::text is null or l.state = $2)
       and ${hasText('$3', 'l."fileName"', 'l."countyFips"', `l."countyName" || ', ' || l."countyState"`, 'l."startedBy"', 'l.message')}`;
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

  /** Null if the load did not fail. */
  async failed(id: string): Promise<LoadJob | null> {
    return /^\d{1,9}$/.test(id) ? this.jobs.findOneBy({ id: Number(id), state: 'failed' }) : null;
  }

  /** Adds a load and its job. The servers run one load at a time. */
  async insert(job: NewLoadJob, manager: EntityManager): Promise<LoadJob> {
    const { id } = await manager.save(manager.create(LoadJob, { ...job, countyFips: job.options.countyFips }));
    const loadJobId = Number(id);
    await addJob(manager, task, { loadJobId }, { queue: task, key: `${keyPrefix}${loadJobId}`, maxAttempts: 1 });
    return (await this.byId(String(loadJobId), manager))!;
  }

  /** Whether an unfinished load needs an upload, as its file or as its tax roll. */
  async isWanted(uploadId: string): Promise<boolean> {
    return this.jobs
      .createQueryBuilder('j')
      .where(`(j.uploadId = :uploadId or j.options ->> 'joinUploadId' = :uploadId::text) and j.${unfinished}`, { uploadId })
      .getExists();
  }

  /** Starts a load. Null if it is no longer waiting. */
  async claim(id: number): Promise<LoadJob | null> {
    const { affected } = await this.jobs.update({ id, state: 'waiting' }, { state: 'running' });
    return affected === 1 ? this.jobs.findOneBy({ id }) : null;
  }

  async progress(id: number, change: LoadJobProgress): Promise<void> {
    await this.jobs.update({ id, state: 'running' }, change);
  }

  /** Whether a load of the county, or of the part, has not ended. */
  async isUnderWay(fips: string, part: string | null): Promise<boolean> {
    return this.jobs
      .createQueryBuilder('j')
      .where(`j.countyFips = :fips and j.options ->> 'part' is not distinct from :part and j.${unfinished}`, { fips, part })
      .getExists();
  }

  /** Marks a load as failed unless it is finished. */
  async fail(id: number, message: string): Promise<void> {
    await this.jobs.update({ id, state: 'running' }, { state: 'failed', message, finishedAt: () => 'service_now()' });
  }

  /** Marks loads as failed whose server is gone. @returns whether there were any */
  async failAbandoned(): Promise<boolean> {
    const abandoned = await this.dataSource.query<object[]>(
      `with abandoned as materialized (
         select id from load_job l
          where ${unfinished} and not exists (
            select from graphile_worker.jobs j where j.key = $1 || l.id and (j.locked_at is not null or j.attempts < j.max_attempts))
            for update skip locked
       ), failed as (
         update load_job l set state = 'failed', message = $2, finished_at = service_now() from abandoned a where l.id = a.id
       )
       select graphile_worker.remove_job($1 || id) from abandoned`,
      [keyPrefix, 'The server that ran the load is gone. The previous release is still current. Try the load again.'],
    );
    return abandoned.length > 0;
  }

  private get jobs() {
    return this.dataSource.getRepository(LoadJob);
  }
}

// Of a load on the command line there is only its release, which names nobody who started it. Its progress is shown in the terminal.
const loads = `
  select * from (
  select l.id, l.number, l."countyFips", c.name as "countyName", c.state as "countyState", l."fileName",
         case when l.state = 'held' and r.state <> 'held' then ${stateSql} else l.state end as state, l."bytesRead", l."bytesTotal",
         l."rowsRead", l."rowsLoaded", l."rowsRejected", l.message, l."releaseId", coalesce(u.email, l."startedBy") as "startedBy",
         l."createdAt", l."finishedAt", l."isRetriable", l.options, (select u.id from upload u where u.id = l."uploadId") as "uploadId"
    from (
      select id::text, id as number, county_fips as "countyFips", file_name as "fileName", state, bytes_read as "bytesRead",
             bytes_total as "bytesTotal", rows_read as "rowsRead", rows_loaded as "rowsLoaded", rows_rejected as "rowsRejected", message,
             release_id as "releaseId", started_by as "startedBy", created_at as "createdAt", finished_at as "finishedAt",
             state = 'failed' as "isRetriable", options, upload_id as "uploadId"
        from load_job
      union all
      select 'release-' || id, id, county_fips, source,
             case state
               when 'loading' then 'running'
               when 'pruned' then case when published_at is null then 'held' else 'published' end
               else state
             end,
             0, 0, read_count, loaded_count - kept_count, rejected_count, failure,
             id, $1, started_at, coalesce(ended_at, published_at), false, null, null
        from parcel_release where started_by is null
    ) l
    join county c on c.fips = l."countyFips"
    left join parcel_release r on r.id = l."releaseId"
    left join auth."user" u on u.id = l."startedBy"
  ) l`;
