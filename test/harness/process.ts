import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFile } from '../../src/core/project-files.js';
import { closeAtEnd } from './closing.js';

type Environment = Record<string, string>;

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The built service as a process of its own, as `npm start` runs it. */
export class ServiceProcess {
  private readonly output = { stdout: '', stderr: '' };
  readonly ended: Promise<Finished>;
  /** It greets, or it has ended, with what it said instead. */
  readonly isUp: Promise<void>;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {
    this.ended = collect(child, this.output);
    const greets = new Promise<void>((resolve) => {
      child.stdout!.on('data', () => this.output.stdout.includes(' is up at ') && resolve());
    });
    const failed = this.ended.then(({ code, stderr }) => Promise.reject(new Error(`the service ended with ${code}: ${stderr}`)));
    failed.catch(() => {}); // that it ends later is no failure
    this.isUp = Promise.race([greets, failed]);
    this.isUp.catch(() => {});
  }

  /** Starts it on a free port and returns once it greets, or throws with what it said instead. */
  static async start(env: Environment, launch = runMain): Promise<ServiceProcess> {
    const service = await ServiceProcess.begin(env, launch);
    await service.isUp;
    return service;
  }

  /** Starts it, and does not wait for its greeting. */
  static async begin(env: Environment, launch = runMain): Promise<ServiceProcess> {
    return ServiceProcess.at(await freePort(), env, launch);
  }

  static at(port: number, env: Environment, launch = runMain): ServiceProcess {
    return new ServiceProcess(launch({ PORT: String(port), ...env }), `http://127.0.0.1:${port}`);
  }

  /** All that it has printed and logged so far. */
  get said(): string {
    return this.output.stdout + this.output.stderr;
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Sends the signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<Finished> {
    this.child.kill(signal);
    return this.ended;
  }
}

/** Runs a command of the operator to its end. */
export const runCli = (args: string[], env: Environment): Promise<Finished> => collect(run('cli.js', args, env));

/** Starts a command of the operator; what is returned ends it by a signal. */
export const startCli = (args: string[], env: Environment): EndBy => endBy(run('cli.js', args, env));

/** Runs the service to its end, where it is expected not to come up. */
export const runService = (env: Environment): Promise<Finished> => collect(runMain(env));

/** Starts the service, and does not wait until it is up; what is returned ends it by a signal. */
export const startService = (env: Environment): EndBy => endBy(runMain(env));

type EndBy = (signal: NodeJS.Signals) => Promise<Finished>;

/** The signal comes twice, as where npm passes on a Ctrl-C that the terminal has sent to all of them. */
function endBy(child: ChildProcess): EndBy {
  const ended = collect(child);
  return (signal) => {
    child.kill(signal);
    child.kill(signal);
    return ended;
  };
}

/** As the README starts it, but without building it anew: what is signalled is npm. */
export const runNpmStart = (env: Environment): ChildProcess => launch('npm', ['start', '--ignore-scripts'], env);

/** As where no room is left on the disk that the log goes to. */
export const runWithoutRoomForLog = (env: Environment): ChildProcess =>
  launch('sh', ['-c', 'exec "$0" "$1" 2>/dev/full', process.execPath, projectFile('dist/src/main.js')], env);

const runMain = (env: Environment): ChildProcess => run('main.js', [], env);

const preloads = ['refuse-outside', 'quick-hashes'].flatMap((name) => ['--require', projectFile(`test/harness/${name}.cjs`)]);

/** Such a process ends when it calls another machine, or with `MAY_CALL_PORTS` another port than those of this one. */
const run = (file: string, args: string[], env: Environment): ChildProcess =>
  launch(process.execPath, [...preloads, projectFile('dist/src', file), ...args], env);

/** With nothing of our own environment but the way to programs. */
export function launch(program: string, args: string[], env: Environment, options: SpawnOptions = {}): ChildProcess {
  const child = spawn(program, args, {
    cwd: projectFile(),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DRAIN_NOTICE_SECONDS: '0', ...dataDirOf(env), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  closeAtEnd(() => stop(child));
  return child;
}

const dataDirs = new Map<string, string>();

/** A DATA_DIR for one database, since a server refuses another with its checkpoints. */
function dataDirOf({ DATABASE_URL: url, DATA_DIR: given }: Environment): Environment {
  if (url === undefined || given !== undefined) return {};
  const known = dataDirs.get(url) ?? mkdtempSync(join(tmpdir(), 'parcel-records-data-'));
  if (!dataDirs.has(url)) closeAtEnd(() => rmSync(known, { recursive: true, force: true }));
  dataDirs.set(url, known);
  return { DATA_DIR: known };
}

/** In good order, as far as that takes a few seconds. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended.finally(() => clearTimeout(kill));
}

export async function collect(child: ChildProcess, output = { stdout: '', stderr: '' }): Promise<Finished> {
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const [code] = await once(child, 'close');
  return { code, ...output };
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}

/** A program's version by its own words; null where it is not on the PATH. */
export function versionOf(program: string, pattern: RegExp, args = ['--version']): string | null {
  try {
    return pattern.exec(execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))?.[1] ?? null;
  } catch {
    return null;
  }
}
