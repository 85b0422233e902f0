import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { AppError } from '../../../core/errors.js';
import { maxRatio, mostUnpacked, type TemporaryFolder, temporaryFolder, temporaryRoom } from './temporary-folder.js';

export interface StoredFile {
  folder: TemporaryFolder;
  path: string;
}

/** Unpacks a `.gz` into a temporary file of its name without that ending. */
export async function gunzip(path: string): Promise<StoredFile> {
  const name = basename(path);
  return store(
    name.replace(/\.gz$/i, ''),
    mostUnpacked((await stat(path)).size),
    `${name} grows more than ${maxRatio}-fold when it is unpacked.`,
    (bound, file) => pipeline(createReadStream(path), createGunzip(), bound, createWriteStream(file)),
  );
}

/** Keeps what comes by standard input: a file is read several times. */
export async function storeInput(input: Readable): Promise<StoredFile> {
  return store('standard-input', Number.POSITIVE_INFINITY, '', (bound, file) => pipeline(input, bound, createWriteStream(file)));
}

async function store(
  name: string,
  most: number,
  tooMuch: string,
  write: (bound: Transform, file: string) => Promise<void>,
): Promise<StoredFile> {
  const folder = await temporaryFolder();
  const path = join(folder.path, name || 'unpacked');
  try {
    const room = await temporaryRoom();
    await write(bounded(Math.min(most, room), most <= room ? tooMuch : `There is no room to store ${name}.`), path);
    return { folder, path };
  } catch (error) {
    await folder.remove();
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_request', `${name} can't be unpacked: ${(error as Error).message}`, { cause: error });
  }
}

/** Passes bytes on up to a bound, since their size is not known before. */
function bounded(most: number, tooMuch: string): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > most) done(new AppError('invalid_request', tooMuch));
      else done(null, chunk);
    },
  });
}
