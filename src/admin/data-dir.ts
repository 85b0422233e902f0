import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { makeFolder } from '../core/make-folder.js';
import { readOrCreateFile } from '../core/read-or-create-file.js';
import { boundServerLog } from '../database/embedded/start-postgres.js';
import type { Task } from '../jobs/task.js';
import { pruneFetched } from '../loader/sources/fetch-county.js';
import { outboxFolder } from '../mail/mail-transport.js';
import { pruneUnsentMails } from '../mail/send-mail.js';

const dayMs = 24 * 60 * 60 * 1000;
/** As long as failed jobs: mails contain addresses, and their links only work for an hour. */
const mailsKeptMs = 7 * dayMs;

/** The permanent id of this DATA_DIR. Jobs that need its files run on the server that has them, also after a restart. */
export async function dataDirId(dataDir: string): Promise<string> {
  await makeFolder(dataDir);
  return readOrCreateFile(join(dataDir, 'data-dir-id'), randomUUID());
}

/** Bounds the files in a DATA_DIR: mails in the outbox, fetched data, the log of the embedded database; and the mails in the database. */
export const pruneFiles = (id: string, dataDir: string, pool: Pool): Task<`prune-files:${string}`> => ({
  name: `prune-files:${id}`,
  timeLimitSeconds: 600,
  run: async () => {
    await removeOlderThan(mailsKeptMs, outboxFolder(dataDir));
    await pruneUnsentMails(pool);
    await pruneFetched(dataDir);
    await boundServerLog(dataDir);
  },
});

async function removeOlderThan(ageMs: number, folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const file = await stat(path).catch(() => null); // null: another server has deleted it
    if (file && file.mtimeMs < Date.now() - ageMs) await rm(path, { force: true });
  }
}
