import { open } from 'node:fs/promises';
import type { ReadPosition } from './source-row.js';

// Larger chunks were not measurably faster, and they cost memory twice: here, and for a feature that spans two chunks.
const chunkBytes = 256 * 1024;

/** The bytes of a file from its start, without a UTF-8 byte order mark. */
export async function* readChunks(path: string, position: ReadPosition): AsyncIterable<Buffer> {
  for await (const chunk of readReusedChunks(path, position)) yield Buffer.from(chunk);
}

/**
 * Like `readChunks`, but alternates between two buffers: a chunk is valid until the one after the next is requested. New buffers lie
 * outside V8's heap, so hundreds of them pile up until a full collection.
 */
export async function* readReusedChunks(path: string, position: ReadPosition): AsyncIterable<Buffer> {
  await using file = await open(path);
  let [buffer, other] = [Buffer.allocUnsafeSlow(chunkBytes), Buffer.allocUnsafeSlow(chunkBytes)];
  for (let isFirst = true; ; isFirst = false) {
    const { bytesRead } = await file.read(buffer, 0, chunkBytes);
    if (bytesRead === 0) return;
    position.bytesRead += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    yield isFirst ? withoutByteOrderMark(chunk) : chunk;
    [buffer, other] = [other, buffer];
  }
}

/** Up to `length` bytes from the start of a file, or from its end. */
export async function readEdge(path: string, length: number, edge: 'head' | 'tail'): Promise<Buffer> {
  await using file = await open(path);
  const { size } = await file.stat();
  const wanted = Math.min(length, size);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, edge === 'head' ? 0 : size - wanted);
  return buffer.subarray(0, bytesRead);
}

export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
