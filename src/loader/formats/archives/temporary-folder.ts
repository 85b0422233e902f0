import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../../core/errors.js';
import { isAlive } from '../../../database/embedded/is-alive.js';

const shareOfDisk = 0.9;
// County files shrink to a fifth or a twentieth.
export const maxRatio = 100;
const smallBytes = 64 * 1024 ** 2;

// Another machine may share the folder for temporary files, and number its processes alike.
const ownFolders = `parcel-records-${hostname()}-`;

const startSecond = Math.round(Date.now() / 1000 - process.uptime());
const clockStepSeconds = 60;

export interface TemporaryFolder {
  path: string;
  remove(): Promise<void>;
}

/** A new folder for what a file is unpacked or converted into. What killed processes have left behind is deleted before. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  await removeAbandoned();
  const path = await mkdtemp(join(tmpdir(), `${ownFolders}${process.pid}-${startSecond}-`));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** How many bytes a file may become when it is unpacked. */
export const mostUnpacked = (packedBytes: number): number => Math.max(smallBytes, packedBytes * maxRatio);

/** How many bytes may be written there without filling the disk. */
export async function temporaryRoom(): Promise<number> {
  const { bavail, bsize } = await statfs(tmpdir());
  return bavail * bsize * shareOfDisk;
}

/** @throws AppError where so many bytes have no room */
export async function refuseWithoutRoom(name: string, bytes: number): Promise<void> {
  if (bytes > (await temporaryRoom()))
    throw new AppError('invalid_request', `There is no room to unpack ${name}: it takes ${Math.ceil(bytes / 1024 ** 2)} MB.`);
}

/** Deletes what processes of this machine left behind that were killed while they read a file. Each start of a server does it, too. */
export async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(ownFolders)) continue;
    const [pid, start] = name.slice(ownFolders.length).split('-').map(Number);
    if (pid! > 0 && !isRunning(pid!, start!)) await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}

// In a container that is started again, a process has the number of the one before. All threads of a process see the same start, but for
// a step of the clock.
function isRunning(pid: number, start: number): boolean {
  return pid === process.pid ? start > startSecond - clockStepSeconds : isAlive(pid);
}
