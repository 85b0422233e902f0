import { existsSync } from 'node:fs';
import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';

const answerTimeoutMs = 60_000;
const pollMs = 50;

/** The content of `postmaster.pid`, which describes the running Postgres. */
export interface PidFile {
  pid: number;
  port: number;
  /** `starting`, `ready`, `stopping` … */
  status: string;
}

export async function readPidFile(cluster: string): Promise<PidFile | null> {
  const text = await readFile(pidFilePath(cluster), 'utf8').catch(() => null);
  const lines = text?.split('\n');
  return lines?.[0] ? { pid: Number(lines[0]), port: Number(lines[3]), status: (lines[7] ?? '').trim() } : null;
}

/**
 * The port of the Postgres that runs on this cluster, or null. Waits while Postgres recovers. The caller holds the file lock, so no other
 * process starts one meanwhile.
 * @throws Error if one runs and does not answer
 */
export async function runningPort(cluster: string, log: Logger): Promise<number | null> {
  for (let waitedMs = 0; waitedMs < answerTimeoutMs; waitedMs += pollMs) {
    const file = await readPidFile(cluster);
    if (!file || !isAlive(file.pid)) return null;
    if ((await runsOn(cluster, file.pid)) === false) return discard(cluster, file, log);
    if (file.status === 'ready' && (await answers(file.port))) return file.port;
    await pause(pollMs);
  }
  const file = await readPidFile(cluster);
  if (file && (await runsOn(cluster, file.pid)) === null) return discard(cluster, file, log);
  throw new Error(`the embedded database runs as process ${file?.pid} but has not answered for ${answerTimeoutMs / 1000} s`);
}

/** The port of the last Postgres on this cluster, which its clients will try again. */
export async function lastPort(cluster: string): Promise<number | null> {
  const options = await readFile(join(cluster, 'postmaster.opts'), 'utf8').catch(() => '');
  const port = /"port=(\d+)"/.exec(options)?.[1];
  return port ? Number(port) : null;
}

const pidFilePath = (cluster: string): string => join(cluster, 'postmaster.pid');

/**
 * Whether the process is a Postgres on this cluster: its working directory is the cluster's folder. After a reboot or in a new container
 * another process may have the same id. Null if the system does not tell.
 */
async function runsOn(cluster: string, pid: number): Promise<boolean | null> {
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(cluster));
  } catch (error) {
    // A zombie process has no working directory.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && existsSync('/proc/self') ? false : null;
  }
}

/** Removes a stale pid file: Postgres would refuse to start while any process has that id. */
async function discard(cluster: string, { pid }: PidFile, log: Logger): Promise<null> {
  log.warn({ pid }, 'removed a stale pid file of the embedded database: another process has that id now');
  await rm(pidFilePath(cluster), { force: true });
  return null;
}

/**
 * Whether a Postgres answers on the port. It is asked whether it speaks TLS, since its log would hold the refusal of a login.
 */
async function answers(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1', timeout: 3_000 });
  return new Promise((resolve) => {
    const end = (isPostgres: boolean) => {
      socket.destroy();
      resolve(isPostgres);
    };
    socket.on('connect', () => socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])));
    socket.on('data', (answer) => end(/^[NS]/.test(answer.toString('latin1'))));
    for (const fault of ['error', 'timeout', 'close']) socket.on(fault, () => end(false));
  });
}

/** Whether a process with this id exists, including those of other users. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0); // sends nothing
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
