import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { projectFile } from '../../src/core/project-files.js';

/** The script behind `npm start` and `npm run cli`. */
export const runScript = projectFile('src/server/deploy/run.sh');

/** A process's resources from its start to its end. */
export interface Usage {
  /** The most memory that it held. */
  peakMemoryMb: number;
  cpuSeconds: number;
}

/** Runs a command of ours as `npm run cli` does. Gives what it printed, and what it used. */
export async function runCommand(args: string[], env: Record<string, string>): Promise<{ stdout: string; usage: Usage }> {
  const reporter = projectFile('test/harness/report-usage.js');
  const child = spawn('sh', [runScript, 'cli', ...args], {
    cwd: projectFile('.'),
    env: { ...process.env, ...env, NODE_OPTIONS: `--import=${reporter}` },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let stdout = '';
  let stderr = '';
  let usage: Usage | undefined;
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.on('message', (message) => (usage = message as Usage));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0 || !usage) throw new Error(`${args.join(' ')}: ${stderr}`);
  return { stdout, usage };
}
