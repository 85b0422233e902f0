import { open } from 'node:fs/promises';
import type { ReadPosition } from './source.js';

// Larger chunks were not measurably faster, and cost memory twice: here, and where a feature spans two of them.
const chunkBytes = 256 * 1024;

/** The bytes of a file from its start, without a UTF-8 byte order mark. */
export async function* readChunks(path: string, position: ReadPosition): AsyncIterable<Buffer> {
  for await (const chunk of readReusedChunks(path, position)) yield Buffer.from(chunk);
}

/**
 * The same for who is done with a chunk, at the latest, when the one after the next is asked for: they are read into two buffers in turn.
 * New ones fill no heap, so they wait for the collector by the hundred, until it looks for them through all of it.
 */
export async function* readReusedChunks(path: string, position: ReadPosition): AsyncIterable<Buffer> {
  const file = await open(path);
  try {
    let [buffer, other] = [Buffer.allocUnsafeSlow(chunkBytes), Buffer.allocUnsafeSlow(chunkBytes)];
    for (let isFirst = true; ; isFirst = false) {
      const { bytesRead } = await file.read(buffer, 0, chunkBytes);
      if (bytesRead === 0) return;
      position.bytesRead += bytesRead;
      const chunk = buffer.subarray(0, bytesRead);
      yield isFirst ? withoutByteOrderMark(chunk) : chunk;
      [buffer, other] = [other, buffer];
    }
  } finally {
    await file.close();
  }
}

/** Up to `length` bytes from the start of a file, or from its end. */
export async function readEdge(path: string, length: number, edge: 'head' | 'tail'): Promise<Buffer> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const wanted = Math.min(length, size);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, edge === 'head' ? 0 : size - wanted);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
