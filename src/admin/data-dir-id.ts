import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The permanent id of this DATA_DIR: jobs that need its files are run by the server that has them, also after a restart. */
export async function dataDirId(dataDir: string): Promise<string> {
  const path = join(dataDir, 'data-dir-id');
  const known = await readFile(path, 'utf8').catch(() => null);
  if (known) return known;
  await mkdir(dataDir, { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, randomUUID());
  // A link to a complete file: of two servers that start together, both read the id of the first.
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  return readFile(path, 'utf8');
}
