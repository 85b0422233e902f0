import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { boundServerLog } from '../database/embedded/server-log.js';
import type { Task } from '../jobs/task.js';
import { rejectsFolder, releaseOfRejects } from '../loader/quality/rejects-file.js';
import { outboxFolder } from '../mail/mail-transport.js';
import { releasesWithRecords } from '../releases/lifecycle/prune.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      /** Ends with the id of the DATA_DIR. */
      [name: `prune-files:${string}`]: object;
    }
  }
}

const dayMs = 24 * 60 * 60 * 1000;
/** As long as jobs that failed: mails hold addresses, and their links have worked for an hour. */
const mailsKeptMs = 7 * dayMs;
const rejectsKeptMs = 30 * dayMs;

/** Keeps what is written to a DATA_DIR from growing for ever: mails of the outbox, rejected rows, the log of the embedded database. */
export const pruneFiles = (dataDirId: string, dataDir: string, pool: Pool): Task<`prune-files:${string}`> => ({
  name: `prune-files:${dataDirId}`,
  timeLimitSeconds: 600,
  run: async () => {
    for (const path of await filesOlderThan(mailsKeptMs, outboxFolder(dataDir))) await rm(path, { force: true });
    const rejects = (await filesOlderThan(rejectsKeptMs, rejectsFolder(dataDir))).map((path) => ({
      path,
      release: releaseOfRejects(path),
    }));
    const kept = await releasesWithRecords(
      pool,
      rejects.map(({ release }) => release),
    );
    for (const { path, release } of rejects) if (!kept.has(release)) await rm(path, { force: true });
    await boundServerLog(dataDir);
  },
});

async function filesOlderThan(ageMs: number, folder: string): Promise<string[]> {
  const paths = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  const old: string[] = [];
  for (const path of paths) {
    const mtimeMs = await stat(path).then(
      (file) => file.mtimeMs,
      () => Number.POSITIVE_INFINITY, // it has gone meanwhile
    );
    if (mtimeMs < Date.now() - ageMs) old.push(path);
  }
  return old;
}
