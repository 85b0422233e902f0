import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { projectFile } from '../core/project-files.js';
import type { Task } from '../jobs/task.js';
import type { CutWork } from './cut-worker.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'cut-parcel-tiles': object;
    }
  }
}

const resourceLimits = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 32 };

/**
 * Cuts the maps of current releases that have none, in a thread beside the server's, and deletes those of releases whose records are gone.
 * It asks which, since a release becomes current in many ways.
 */
export const cutTilesTask = (pool: Pool, { url }: { url: string }, log: Logger): Task<'cut-parcel-tiles'> => ({
  name: 'cut-parcel-tiles',
  timeLimitSeconds: 6 * 60 * 60,
  run: async (_payload, { signal }) => {
    await dropPruned(pool);
    for (let next = await nextRelease(pool); next; next = await nextRelease(pool)) {
      const startedAt = performance.now();
      await cutInThread({ url, releaseId: next.id }, signal);
      log.info({ ...next, ms: Math.round(performance.now() - startedAt) }, 'the parcel map of a release was cut');
    }
  },
});

async function nextRelease(pool: Pool): Promise<{ id: number; county: string } | undefined> {
  const { rows } = await pool.query<{ id: number; county: string }>(
    `select c.current_release_id as id, c.fips as county from county c
      where c.current_release_id is not null and not exists (select from parcel_map m where m.release_id = c.current_release_id)
      order by c.loaded_at limit 1`,
  );
  return rows[0];
}

/**
 * As long as a release has its records, a rollback may make it current again. Looks up one tile of each release: tiles are many, and this
 * runs every minute.
 */
async function dropPruned(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ id: number }>(
    `select r.id from parcel_release r
      where r.state <> 'published'
        and (exists (select from parcel_map m where m.release_id = r.id)
             or (select t.release_id from parcel_tile t where t.release_id = r.id limit 1) is not null)`,
  );
  for (const { id } of rows) {
    await pool.query('delete from parcel_map where release_id = $1', [id]);
    await pool.query('delete from parcel_tile where release_id = $1', [id]);
  }
}

async function cutInThread(work: CutWork, signal: AbortSignal): Promise<void> {
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
