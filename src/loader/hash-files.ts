import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const chunkBytes = 1024 * 1024;

/**
 * One SHA-256 over the bytes of all files in order: releases with the same hash were loaded from the same data.
 * @throws the signal's reason when it aborts
 */
export async function hashFiles(paths: string[], signal: AbortSignal): Promise<Buffer> {
  const hash = createHash('sha256');
  // One reused chunk: a stream allocates a new one per read, and tens of megabytes wait for the garbage collector.
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (const path of paths) {
    await using file = await open(path);
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(chunk, 0, chunkBytes);
      if (bytesRead === 0) break;
      hash.update(chunk.subarray(0, bytesRead));
    }
  }
  return hash.digest();
}
