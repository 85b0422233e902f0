import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openPromise } from 'yauzl';
import { AppError } from '../../errors.js';

const dataExtensions = /\.(shp|shx|dbf|prj|cpg|geojson|geojsonl|geojsons|json|ndjson|jsonl|csv|tsv|txt)$/i;

export interface Unpacked {
  folder: string;
  files: string[];
  remove(): Promise<void>;
}

/** Unpacks the data files of an archive into a folder of its own, in the archive's own folders. yauzl refuses names that lead out of it. */
export async function unpackZip(path: string): Promise<Unpacked> {
  const folder = await mkdtemp(join(tmpdir(), 'parcel-records-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const files: string[] = [];
    const archive = await openPromise(path, { lazyEntries: true, autoClose: true });
    for await (const entry of archive.eachEntry()) {
      const name = basename(entry.fileName);
      // Archives made on a Mac contain a second file (`__MACOSX/._…`) for each file.
      if (!dataExtensions.test(name) || entry.fileName.includes('__MACOSX') || name.startsWith('._')) continue;
      if (entry.isEncrypted()) throw new AppError('invalid_request', `${basename(path)} is encrypted.`);
      const file = join(folder, entry.fileName);
      await mkdir(dirname(file), { recursive: true });
      await pipeline(await archive.openReadStreamPromise(entry), createWriteStream(file));
      files.push(file);
    }
    return { folder, files, remove };
  } catch (error) {
    await remove();
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_request', `${basename(path)} can't be unpacked: ${(error as Error).message}`, { cause: error });
  }
}
