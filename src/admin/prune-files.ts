import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { boundServerLog } from '../database/embedded/server-log.js';
import type { Task } from '../jobs/task.js';
import { pruneFetched } from '../loader/sources/fetch-county.js';
import { outboxFolder } from '../mail/mail-transport.js';
import { pruneUnsentMails } from '../mail/send-mail.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      /** Ends with the id of the DATA_DIR. */
      [name: `prune-files:${string}`]: object;
    }
  }
}

const dayMs = 24 * 60 * 60 * 1000;
/** As long as failed jobs: mails contain addresses, and their links only work for an hour. */
const mailsKeptMs = 7 * dayMs;

/** Bounds the files in a DATA_DIR: mails in the outbox, fetched data, the log of the embedded database; and the mails in the database. */
export const pruneFiles = (dataDirId: string, dataDir: string, pool: Pool): Task<`prune-files:${string}`> => ({
  name: `prune-files:${dataDirId}`,
  timeLimitSeconds: 600,
  run: async () => {
    for (const path of await filesOlderThan(mailsKeptMs, outboxFolder(dataDir))) await rm(path, { force: true });
    await pruneUnsentMails(pool);
    await pruneFetched(dataDir);
    await boundServerLog(dataDir);
  },
});

async function filesOlderThan(ageMs: number, folder: string): Promise<string[]> {
  const paths = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  const old: string[] = [];
  for (const path of paths) {
    const mtimeMs = await stat(path).then(
      (file) => file.mtimeMs,
      () => Number.POSITIVE_INFINITY, // deleted meanwhile
    );
    if (mtimeMs < Date.now() - ageMs) old.push(path);
  }
  return old;
}
