import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { projectFile } from '../../src/core/project-files.js';

/** A server in a process of its own, so that nobody who measures it shares its event loop. */
export interface ChildServer {
  port: number;
  pid: number;
  /** How many requests, so far. */
  answered: number;
  stop(): Promise<void>;
}

/** What `npm start` and `npm run cli` run. */
const runScript = projectFile('src/server/deploy/run.sh');

/** Starts the service as `npm start` does. */
export const startService = (env: Record<string, string>): Promise<ChildServer> => startServer([runScript, 'serve'], env, 'sh');

/** Starts a program that says `{"port":…,"msg":"listening"}` on standard error when it is up. */
export async function startServer(words: string[], env: Record<string, string> = {}, program = process.execPath): Promise<ChildServer> {
  const child = spawn(program, words, {
    cwd: projectFile('.'),
    env: { ...process.env, NODE_ENV: 'production', MAIL_TO_OUTBOX: 'yes', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      if (line.includes('"msg":"listening"')) resolve((JSON.parse(line) as { port: number }).port);
    });
    child.on('exit', () => reject(new Error(`${words.join(' ')} ended: ${said.join('\n')}`)));
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

/** What a process has used from its start to its end. */
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
