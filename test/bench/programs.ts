import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

/** What a program says of its version; null where it is not on the PATH. */
export function versionOf(program: string, pattern: RegExp, args = ['--version']): string | null {
  try {
    return pattern.exec(execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))?.[1] ?? null;
  } catch (error) {
    // wrk knows no --version: it says it all the same, and fails
    return pattern.exec(String((error as { stdout?: string }).stdout ?? ''))?.[1] ?? null;
  }
}

export const wrkVersion = versionOf('wrk', /^wrk (\S+)/);
export const pgbenchVersion = versionOf('pgbench', /\(PostgreSQL\) (\S+)/);

/** Who sends requests as fast as they are answered. */
export const httpGenerator = wrkVersion === null ? 'our generator' : `wrk ${wrkVersion}`;
/** Who runs statements one by one. */
export const sqlGenerator = pgbenchVersion === null ? 'our generator' : `pgbench ${pgbenchVersion}`;

const run = promisify(execFile);

/** Runs a program to its end and gives what it printed. */
export async function output(program: string, args: string[]): Promise<string> {
  return (await run(program, args, { maxBuffer: 1024 * 1024 })).stdout;
}
