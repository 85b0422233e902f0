import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { AppError, refusal } from '../../../core/errors.js';
import { freeTemporaryBytes, maxRatio, maxUnpackedBytes, type TemporaryFolder, temporaryFolder } from './temporary-folder.js';

export interface StoredFile {
  folder: TemporaryFolder;
  path: string;
}

/** Unpacks a `.gz` into a temporary file, named without the `.gz`. */
export async function gunzip(path: string): Promise<StoredFile> {
  const name = basename(path);
  return store(
    name.replace(/\.gz$/i, ''),
    maxUnpackedBytes((await stat(path)).size),
    `${name} grows more than ${maxRatio}-fold when it is unpacked.`,
    (limiter, file) => pipeline(createReadStream(path), createGunzip(), limiter, createWriteStream(file)),
  );
}

/** Stores standard input in a temporary file, because files are read several times. */
export async function storeInput(input: Readable): Promise<StoredFile> {
  return store('standard-input', Number.POSITIVE_INFINITY, '', (limiter, file) => pipeline(input, limiter, createWriteStream(file)));
}

async function store(
  name: string,
  maxBytes: number,
  tooLarge: string,
  write: (limiter: Transform, file: string) => Promise<void>,
): Promise<StoredFile> {
  const folder = await temporaryFolder();
  const path = join(folder.path, name || 'unpacked');
  try {
    const freeBytes = await freeTemporaryBytes();
    await write(limitTo(Math.min(maxBytes, freeBytes), maxBytes <= freeBytes ? tooLarge : `There is no room to store ${name}.`), path);
    return { folder, path };
  } catch (error) {
    await folder.remove();
    if (error instanceof AppError) throw error;
    throw refusal(`${name} can't be unpacked: ${(error as Error).message}`, { cause: error });
  }
}

/** Passes bytes on until there are too many: their number is not known in advance. */
function limitTo(maxBytes: number, tooLarge: string): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(refusal(tooLarge));
      else done(null, chunk);
    },
  });
}
