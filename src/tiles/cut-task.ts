import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { projectFile } from '../core/project-files.js';
import { addJob, type Task } from '../jobs/task.js';
import type { CutWork } from './cut-worker.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'cut-parcel-tiles': object;
      'cut-map': { releaseId: number };
    }
  }
}

const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/** The key of the job that cuts the map of a release, in SQL. */
export const cutKey = (releaseId: string): string => `'cut-map ' || ${releaseId}`;

/**
 * A load cuts the map of what it publishes. Every minute this adds a job for each other current release without a map, such as one that was
 * rolled back to, and deletes the maps of releases whose records are gone. A release whose job has failed for good is left alone.
 */
const findMapsTask = (pool: Pool): Task<'cut-parcel-tiles'> => ({
  name: 'cut-parcel-tiles',
  timeLimitSeconds: 600,
  run: async () => {
    await dropPruned(pool);
    const { rows } = await pool.query<{ id: number; key: string }>(
      `select c.current_release_id as id, ${cutKey('c.current_release_id')} as key from county c
        where c.current_release_id is not null and not exists (select from parcel_map m where m.release_id = c.current_release_id)
          and not exists (select from graphile_worker.jobs j where j.key = ${cutKey('c.current_release_id')})
        order by c.loaded_at`,
    );
    for (const { id, key } of rows) await addJob(pool, 'cut-map', { releaseId: id }, { key, queue: 'cut-map', maxAttempts: 5 });
  },
});

const cutMapTask = (pool: Pool, url: string, log: Logger): Task<'cut-map'> => ({
  name: 'cut-map',
  timeLimitSeconds: 6 * 60 * 60,
  run: async ({ releaseId }, { signal }) => {
    const { rows } = await pool.query<{ county: string }>(
      `select name || ', ' || state || ' (' || fips || ')' as county from county where current_release_id = $1`,
      [releaseId],
    );
    if (!rows[0]) return;
    const { county } = rows[0];
    const startedAt = performance.now();
    await cutInThread({ url, releaseId }, signal).catch((cause: Error) => {
      throw new Error(`The map of ${county} could not be cut: ${cause.message}`, { cause });
    });
    log.info({ releaseId, county, ms: Math.round(performance.now() - startedAt) }, 'the parcel map of a release was cut');
  },
});

export const mapTasks = (pool: Pool, { url }: { url: string }, log: Logger): Task[] => [findMapsTask(pool), cutMapTask(pool, url, log)];

/**
 * As long as a release has its records, a rollback may make it current again. Looks up one tile of each release: tiles are many, and this
 * runs every minute.
 */
async function dropPruned(pool: Pool): Promise<void> {
  await pool.query(
    `with pruned as materialized (
       select r.id from parcel_release r
        where r.state <> 'published'
          and (exists (select from parcel_map m where m.release_id = r.id)
               or (select t.release_id from parcel_tile t where t.release_id = r.id limit 1) is not null)
        limit 20
     ), maps as (
       delete from parcel_map where release_id in (select id from pruned)
     )
     delete from parcel_tile where release_id in (select id from pruned)`,
  );
}

/** Cuts the map of a release in a thread with a low priority and a bound on its memory. */
export async function cutInThread(work: CutWork, signal: AbortSignal): Promise<void> {
  const worker = new Worker(projectFile('dist/src/tiles/cut-worker.js'), { workerData: work, resourceLimits });
  const stop = () => worker.postMessage('stop');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    await once(worker, 'exit'); // rejects with the thread's error
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
