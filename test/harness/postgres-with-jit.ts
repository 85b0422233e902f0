import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createCluster, unprivilegedLaunch } from '../../src/database/embedded/cluster.js';
import { startPostgres } from '../../src/database/embedded/start-postgres.js';

const installed = '/usr/lib/postgresql';

/** The programs of the newest installed Postgres with LLVM, as operators have it. The embedded one was built without. */
export const binariesWithJit: string | undefined = (existsSync(installed) ? readdirSync(installed) : [])
  .toSorted((a, b) => Number(b) - Number(a))
  .map((version) => join(installed, version))
  .filter((folder) => existsSync(join(folder, 'lib/llvmjit.so')) && existsSync(join(folder, 'bin/initdb')))
  .map((folder) => join(folder, 'bin'))[0];

/** Starts it with its default `jit=on`. The next that opens the embedded database of this folder takes it over, as after a crash. */
export async function startWithJit(dataDir: string, log: Logger): Promise<void> {
  const launch = await unprivilegedLaunch(dataDir, binariesWithJit);
  await createCluster(dataDir, launch, log);
  await startPostgres(dataDir, { ...launch, command: (binary, flags) => launch.command(binary, [...flags, '-c', 'jit=on']) });
}
