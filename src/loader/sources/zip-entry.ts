import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { AppError } from '../../errors.js';

/**
 * The bytes of a file in an archive. yauzl holds them to their number only: a byte that has changed would be read as another value.
 * @throws AppError at the end, where they are not those that were put into the archive
 */
export async function* readEntry(archive: ZipFile, entry: Entry): AsyncIterable<Buffer> {
  let sum = 0;
  for await (const chunk of await archive.openReadStreamPromise(entry)) {
    sum = crc32(chunk as Buffer, sum);
    yield chunk as Buffer;
  }
  if (sum === entry.crc32) return;
  throw new AppError(
    'invalid_request',
    `The archive is damaged: ${entry.fileName} is not what was put into it (its checksum differs). Fetch the archive again.`,
  );
}
