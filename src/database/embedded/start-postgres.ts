import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, open, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { clusterPath, type Launch } from './cluster.js';
import { lastPort, readPidFile } from './postmaster.js';

const startTimeoutMs = 60_000;
const pollMs = 50;

/**
 * Starts the embedded Postgres, if possible on its last port, so that processes that use it can reconnect.
 * @returns the port, once it accepts connections
 */
export async function startPostgres(dataDir: string, launch: Launch): Promise<number> {
  const cluster = clusterPath(dataDir);
  const port = (await freePort((await lastPort(cluster)) ?? 0)) ?? (await freePort(0))!;
  const logPath = serverLogPath(dataDir);
  const logFile = await open(logPath, 'a', 0o600);
  const [command, args] = launch.command('postgres', ['-D', cluster, ...settingFlags(port)]);
  // Detached, so that Ctrl+C in the terminal does not stop the database before this process has finished with it.
  const child = spawn(command, args, { ...launch.options, detached: true, stdio: ['ignore', logFile.fd, logFile.fd] });
  let exited: string | undefined;
  child.on('error', (error) => (exited = error.message));
  child.on('exit', (code, signal) => (exited = `ended with ${code ?? signal}`));
  child.unref();
  await logFile.close();
  for (let waitedMs = 0; waitedMs < startTimeoutMs; waitedMs += pollMs) {
    if (exited) {
      const lastLines = (await readFile(logPath, 'utf8')).trim().split('\n').slice(-3).join(' · ');
      throw new Error(`the embedded database did not start: ${exited}. Its log ${logPath} says: ${lastLines}`);
    }
    const file = await readPidFile(cluster);
    if (file?.pid === child.pid && file?.status === 'ready') return port;
    await pause(pollMs);
  }
  throw new Error(`the embedded database did not start within ${startTimeoutMs / 1000} s; see ${logPath}`);
}

function settingFlags(port: number): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    // Enough for eleven server processes (WORKERS).
    max_connections: '500',
    shared_buffers: '256MB',
    max_wal_size: '4GB',
    // Does not zero-fill new WAL segments: in a new database all commits would wait 60 to 100 ms for it every few seconds. Just as safe, and
    // takes the same space.
    wal_init_zero: 'off',
    // Committed transactions survive a power failure.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    jit: 'off',
    // Parallel plans need /dev/shm, which is small in many containers.
    max_parallel_workers_per_gather: '0',
    max_parallel_maintenance_workers: '0',
    // The details of an error contain values of rows, such as email addresses.
    log_error_verbosity: 'terse',
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** The wanted port if it is free, otherwise null. For 0 any free port. */
async function freePort(wanted: number): Promise<number | null> {
  const probe = createServer();
  const isFree = new Promise<boolean>((resolve) =>
    probe.on('error', () => resolve(false)).listen(wanted, '127.0.0.1', () => resolve(true)),
  );
  if (!(await isFree)) return null;
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

const maxBytes = 16 * 1024 ** 2;
const keptBytes = 1024 ** 2;

/** The log of the embedded Postgres, including startup failures, which Postgres' own log collector would not receive. */
const serverLogPath = (dataDir: string): string => join(dataDir, 'postgres.log');

/**
 * Cuts the log to its last megabyte if it exceeds 16. Postgres appends, so it continues after the cut. Postgres' own rotation starts new
 * files by time and does not limit the total size.
 */
export async function boundServerLog(dataDir: string): Promise<void> {
  await using file = await open(serverLogPath(dataDir), constants.O_RDWR | constants.O_APPEND).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null; // no log with DATABASE_URL
    throw error;
  });
  if (!file) return;
  const { size } = await file.stat();
  if (size <= maxBytes) return;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(keptBytes), 0, keptBytes, size - keptBytes);
  await file.truncate(0);
  await file.appendFile(buffer.subarray(buffer.indexOf('\n') + 1, bytesRead));
}
