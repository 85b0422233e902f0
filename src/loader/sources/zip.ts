import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Entry, openPromise } from 'yauzl';
import { AppError } from '../../errors.js';

const dataExtensions = /\.(shp|shx|dbf|prj|cpg|geojson|geojsonl|geojsons|json|ndjson|jsonl|csv|tsv|txt)$/i;

// County files shrink to a fifth or a twentieth.
const maxRatio = 100;
const smallBytes = 64 * 1024 ** 2;
const maxBytes = 64 * 1024 ** 3;
const maxEntries = 10_000;
const shareOfDisk = 0.9;

// Another machine may share the folder for temporary files, and number its processes alike.
const ownFolders = `parcel-records-${hostname()}-`;

export interface Unpacked {
  folder: string;
  files: string[];
  remove(): Promise<void>;
}

/** Unpacks the data files of an archive into a folder of its own, in the archive's own folders. yauzl refuses names that lead out of it. */
export async function unpackZip(path: string): Promise<Unpacked> {
  await removeAbandoned();
  const folder = await mkdtemp(join(tmpdir(), `${ownFolders}${process.pid}-`));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const files: string[] = [];
    const archive = await openPromise(path, { lazyEntries: true, autoClose: false });
    const entries: Entry[] = [];
    for await (const entry of archive.eachEntry()) if (isData(entry)) entries.push(entry);
    await refuseBomb(path, entries);
    for (const entry of entries) {
      const file = join(folder, entry.fileName);
      await mkdir(dirname(file), { recursive: true });
      await pipeline(await archive.openReadStreamPromise(entry), createWriteStream(file));
      files.push(file);
    }
    archive.close();
    return { folder, files, remove };
  } catch (error) {
    await remove();
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_request', `${basename(path)} can't be unpacked: ${(error as Error).message}`, { cause: error });
  }
}

function isData({ fileName }: Entry): boolean {
  const name = basename(fileName);
  // Archives made on a Mac contain a second file (`__MACOSX/._…`) for each file.
  return dataExtensions.test(name) && !fileName.includes('__MACOSX') && !name.startsWith('._');
}

/** Refuses an archive that would fill the disk. yauzl holds each entry to the size that it states. */
async function refuseBomb(path: string, entries: Entry[]): Promise<void> {
  const name = basename(path);
  if (entries.some((entry) => entry.isEncrypted())) throw new AppError('invalid_request', `${name} is encrypted.`);
  const bytes = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  const { size: packedBytes } = await stat(path);
  const { bavail, bsize } = await statfs(tmpdir());
  if (entries.length > maxEntries) throw new AppError('invalid_request', `${name} holds more than ${maxEntries} files.`);
  if (bytes > smallBytes && bytes > packedBytes * maxRatio) {
    throw new AppError('invalid_request', `${name} grows more than ${maxRatio}-fold when it is unpacked, as no county's file does.`);
  }
  if (bytes > maxBytes || bytes > bavail * bsize * shareOfDisk) {
    throw new AppError('invalid_request', `There is no room to unpack ${name}: it takes ${Math.ceil(bytes / 1024 ** 2)} MB.`);
  }
}

/** Deletes what processes of this machine left behind that were killed while they read an archive. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(ownFolders) ? Number.parseInt(name.slice(ownFolders.length), 10) : Number.NaN;
    if (pid > 0 && !isRunning(pid)) await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0); // sends nothing
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
