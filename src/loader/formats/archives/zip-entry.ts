import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { AppError } from '../../../core/errors.js';

/**
 * The bytes of a file in an archive. yauzl holds them to their number only: a byte that has changed would be read as another value.
 * @throws AppError where they can't be unpacked, or at the end, where they are not those that were put into the archive
 */
export async function* readEntry(archive: ZipFile, entry: Entry): AsyncIterable<Buffer> {
  let sum = 0;
  try {
    for await (const chunk of await archive.openReadStreamPromise(entry)) {
      sum = crc32(chunk as Buffer, sum);
      yield chunk as Buffer;
    }
  } catch (cause) {
    throw damaged(entry, `can't be unpacked (${(cause as Error).message})`, cause);
  }
  if (sum !== entry.crc32) throw damaged(entry, 'is not what was put into it (its checksum differs)');
}

const damaged = ({ fileName }: Entry, how: string, cause?: unknown): AppError =>
  new AppError('invalid_request', `The archive is damaged: ${fileName} ${how}. Fetch the archive again.`, { cause });
