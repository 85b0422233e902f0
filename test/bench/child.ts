import { projectFile } from '../../src/core/project-files.js';
import { collect, launch } from '../harness/process.js';

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
  const all = { ...env, NODE_OPTIONS: `--import=${projectFile('test/harness/report-usage.js')}` };
  const child = launch('sh', [runScript, 'cli', ...args], all, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let usage: Usage | undefined;
  child.on('message', (message) => (usage = message as Usage));
  const { code, stdout, stderr } = await collect(child);
  if (code !== 0 || !usage) throw new Error(`${args.join(' ')}: ${stderr}`);
  return { stdout, usage };
}
