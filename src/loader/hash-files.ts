import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** One SHA-256 over the files' bytes in their order: two releases with the same one were loaded from the same data. */
export async function hashFiles(paths: string[]): Promise<Buffer> {
  const hash = createHash('sha256');
  for (const path of paths) for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  return hash.digest();
}
