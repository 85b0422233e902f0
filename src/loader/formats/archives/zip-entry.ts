import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { AppError } from '../../../core/errors.js';

/**
 * The unpacked bytes of a file in an archive. yauzl checks only their number, so the checksum is verified here: a changed byte would be
 * read as another value.
 * @throws AppError if the file can't be unpacked, or at its end if the checksum differs
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
  if (sum !== entry.crc32) throw damaged(entry, 'has a wrong checksum');
}

const damaged = ({ fileName }: Entry, how: string, cause?: unknown): AppError =>
  new AppError('invalid_request', `The archive is damaged: ${fileName} ${how}. Download the archive again.`, { cause });
