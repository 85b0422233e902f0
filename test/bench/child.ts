import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { projectFile } from '../../src/project-files.js';

/** A server in a process of its own, so that nobody who measures it shares its event loop. */
export interface ChildServer {
  port: number;
  pid: number;
  /** How many requests, so far. */
  answered: number;
  stop(): Promise<void>;
}

/** Starts a built script that says `{"port":…,"msg":"listening"}` on standard error when it is up. */
export async function startServer(script: string, args: string[], env: Record<string, string>): Promise<ChildServer> {
  const child = spawn(process.execPath, [projectFile('dist', script), ...args], {
    env: { ...process.env, NODE_ENV: 'production', MAIL_TO_OUTBOX: 'yes', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      if (line.includes('"msg":"listening"')) resolve((JSON.parse(line) as { port: number }).port);
    });
    child.on('exit', () => reject(new Error(`${script} ended: ${said.join('\n')}`)));
  });
  return {
    port,
    pid: child.pid!,
    answered: 0,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Runs a built script to its end. Gives what it printed, and the most memory that it held. */
export async function runScript(
  script: string,
  args: string[],
  env: Record<string, string>,
): Promise<{ stdout: string; peakMemoryMb: number }> {
  const reporter = new URL('report-peak-memory.js', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', reporter, projectFile('dist', script), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let stdout = '';
  let stderr = '';
  let peakMemoryMb = 0;
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.on('message', (message) => (peakMemoryMb = (message as { peakMemoryMb: number }).peakMemoryMb));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${script} ${args.join(' ')}: ${stderr}`);
  return { stdout, peakMemoryMb };
}
