import { existsSync } from 'node:fs';
import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { Logger } from 'pino';
import { isAlive } from './is-alive.js';

const patienceMs = 60_000;
const pollMs = 50;

/** What `postmaster.pid` in the cluster's folder says of the running Postgres. */
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
 * The port of the server that runs on this cluster, waiting while it is still recovering; null if none does. The caller holds
 * the file lock, so nobody starts one meanwhile.
 * @throws Error when one runs and does not answer
 */
export async function runningPort(cluster: string, log: Logger): Promise<number | null> {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += pollMs) {
    const file = await readPidFile(cluster);
    if (!file || !isAlive(file.pid)) return null;
    if ((await runsOn(cluster, file.pid)) === false) return discard(cluster, file, log);
    if (file.status === 'ready' && (await answers(file.port))) return file.port;
    await pause(pollMs);
  }
  const file = await readPidFile(cluster);
  if (file && (await runsOn(cluster, file.pid)) === null) return discard(cluster, file, log);
  throw new Error(`the embedded database runs as process ${file?.pid}, and has not answered for ${patienceMs / 1000} s`);
}

/** The port of the server that ran here last; its clients will try it again. */
export async function lastPort(cluster: string): Promise<number | null> {
  const options = await readFile(join(cluster, 'postmaster.opts'), 'utf8').catch(() => '');
  const port = /"port=(\d+)"/.exec(options)?.[1];
  return port ? Number(port) : null;
}

const pidFilePath = (cluster: string): string => join(cluster, 'postmaster.pid');

/**
 * Whether the process is a Postgres on this cluster: its working directory is the cluster's folder. After a reboot or in a new
 * container another process may have the same id. Null where the system does not say.
 */
async function runsOn(cluster: string, pid: number): Promise<boolean | null> {
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(cluster));
  } catch (error) {
    // A process that has ended but was not waited for has no working directory.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && existsSync('/proc/self') ? false : null;
  }
}

/** Removes the pid file of a Postgres that has ended: a new one would refuse to start while any process has that id. */
async function discard(cluster: string, { pid }: PidFile, log: Logger): Promise<null> {
  log.warn({ pid }, 'the embedded database left its pid file behind, and another process has that number now');
  await rm(pidFilePath(cluster), { force: true });
  return null;
}

/** Whether a Postgres answers on the port, be it by refusing the user. */
async function answers(port: number): Promise<boolean> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: 'nobody',
    password: 'x',
    database: 'postgres',
    connectionTimeoutMillis: 3_000,
  });
  client.on('error', () => {});
  const refusal = await client.connect().then(
    () => null,
    (error: { code?: string }) => error.code ?? '',
  );
  await client.end().catch(() => {});
  return refusal === null || /^[0-9A-Z]{5}$/.test(refusal);
}
