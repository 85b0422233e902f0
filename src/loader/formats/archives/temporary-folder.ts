import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { refusal } from '../../../core/errors.js';
import { isAlive } from '../../../database/embedded/postmaster.js';

// The database and the logs may be on the same disk.
const reserve = { bytes: 1024 ** 3, share: 0.1 };
// County files compress to between a fifth and a twentieth.
export const maxRatio = 100;
const smallBytes = 64 * 1024 ** 2;

// Another machine may share the temporary folder and use the same process ids.
const ownFolders = `parcel-records-${hostname()}-`;

const startSecond = Math.round(Date.now() / 1000 - process.uptime());
const clockStepSeconds = 60;

export interface TemporaryFolder {
  path: string;
  remove(): Promise<void>;
}

/** Creates a folder to unpack or convert a file into, and deletes the folders of killed processes. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  await removeAbandoned();
  const path = await mkdtemp(join(tmpdir(), `${ownFolders}${process.pid}-${startSecond}-`));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** How many bytes a packed file may unpack to. */
export const maxUnpackedBytes = (packedBytes: number): number => Math.max(smallBytes, packedBytes * maxRatio);

/** How many bytes may be written to a folder, so that a reserve of its disk stays free. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize, blocks } = await statfs(folder);
  return Math.max(0, bavail * bsize - Math.min(reserve.bytes, blocks * bsize * reserve.share));
}

export const freeTemporaryBytes = (): Promise<number> => freeBytes(tmpdir());

/** @throws AppError if the disk has too little space */
export async function requireFreeSpace(name: string, bytes: number): Promise<void> {
  if (bytes > (await freeTemporaryBytes()))
    throw refusal(`There is no disk space to unpack ${name}, which takes ${Math.ceil(bytes / 1024 ** 2)} MB.`);
}

/** Deletes the folders of this machine's processes that were killed while reading a file. Each server does so at its start, too. */
export async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(ownFolders)) continue;
    const [pid, start] = name.slice(ownFolders.length).split('-').map(Number);
    if (pid! > 0 && !isRunning(pid!, start!)) await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}

// In a restarted container, our process id may equal that of the killed process, so start times are compared: all threads of a process see
// the same start, unless the clock was adjusted.
function isRunning(pid: number, start: number): boolean {
  return pid === process.pid ? start > startSecond - clockStepSeconds : isAlive(pid);
}
