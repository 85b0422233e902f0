import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The permanent id of this DATA_DIR. Jobs that need its files run on the server that has them, also after a restart. */
export async function dataDirId(dataDir: string): Promise<string> {
  const path = join(dataDir, 'data-dir-id');
  const known = await readFile(path, 'utf8').catch(() => null);
  if (known) return known;
  await mkdir(dataDir, { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, randomUUID());
  // Only the first link succeeds, and it names a complete file, so two servers that start together read the same id.
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  return readFile(path, 'utf8');
}
