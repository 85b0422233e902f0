import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { clusterPath } from './postgres-cluster.js';
import { lastPort, readPidFile } from './postmaster.js';
import { serverLogPath } from './server-log.js';
import type { Launch } from './unprivileged-launch.js';

const startTimeoutMs = 60_000;
const pollMs = 50;

/**
 * Starts the embedded server, if possible on the port that it had before, so that processes that use it can connect again.
 * @returns the port, once it takes connections
 */
export async function startPostgres(dataDir: string, launch: Launch): Promise<number> {
  const cluster = clusterPath(dataDir);
  const port = (await freePort((await lastPort(cluster)) ?? 0)) ?? (await freePort(0))!;
  const logPath = serverLogPath(dataDir);
  const logFile = await open(logPath, 'a', 0o600);
  await logFile.chmod(0o600); // also where an earlier version of us began it
  const [command, args] = launch.command('postgres', ['-D', cluster, ...settingFlags(port)]);
  // Detached, so that an interrupt typed at the terminal does not stop the database before this process has finished with it.
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
    // For eleven servers, such as the processes of WORKERS.
    max_connections: '500',
    shared_buffers: '256MB',
    max_wal_size: '4GB',
    // A new segment of the log is not filled with zeros first: all commits would wait 60 to 100 ms for it, every few seconds in a new
    // database. Its blocks come as they are written, which takes no less space and is as safe.
    wal_init_zero: 'off',
    // Committed transactions survive a power cut.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    jit: 'off',
    // Parallel plans need /dev/shm, which is small in many containers.
    max_parallel_workers_per_gather: '0',
    max_parallel_maintenance_workers: '0',
    // Details of an error are values of rows, as the address that is taken.
    log_error_verbosity: 'terse',
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** The wanted port if it is free, else null; for 0 any free port. */
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
