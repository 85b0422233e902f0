import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAtEnd } from './closing.js';
import { eventually } from './eventually.js';

/** A folder that is there as long as the test file. A Postgres that a killed service left running in it goes with it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parcel-records-file-'));
  closeAtEnd(async () => {
    const pid = await postgresIn(folder);
    if (pid) {
      process.kill(pid, 'SIGQUIT');
      await eventually('Postgres stops', async () => (await postgresIn(folder)) === null);
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return folder;
}

/** The process that serves the embedded database of this folder. */
async function postgresIn(folder: string): Promise<number | null> {
  const lines = await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8').catch(() => '');
  return Number(lines.split('\n')[0]) || null;
}
