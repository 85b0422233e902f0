import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const chunkBytes = 1024 * 1024;

/**
 * One SHA-256 over the files' bytes in their order: two releases with the same one were loaded from the same data.
 * @throws the signal's reason once it is given
 */
export async function hashFiles(paths: string[], signal: AbortSignal): Promise<Buffer> {
  const hash = createHash('sha256');
  // One chunk for all: a stream makes a new one each time, and some ten megabytes of them wait for the collector.
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (const path of paths) {
    const file = await open(path);
    try {
      for (;;) {
        signal.throwIfAborted();
        const { bytesRead } = await file.read(chunk, 0, chunkBytes);
        if (bytesRead === 0) break;
        hash.update(chunk.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  }
  return hash.digest();
}
