import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Launch } from './unprivileged-launch.js';

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
  // Under another name until it is complete, so that an interrupted initdb leaves nothing that looks like a database.
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
  await runToEnd(launch, 'initdb', flags);
  await rename(draft, clusterPath(dataDir));
}

async function runToEnd(launch: Launch, binary: 'initdb', flags: string[]): Promise<void> {
  const [command, args] = launch.command(binary, flags);
  const child = spawn(command, args, { ...launch.options, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`${binary} failed: ${said.trim()}`);
}
