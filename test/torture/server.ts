import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { projectFile } from '../../src/core/project-files.js';
import { FaultProxy } from './fault-proxy.js';

const saidLines = 40;
const errorLine = '{"level":50';
// The drain may take 8 s, and what is under way then a little more.
const endsWithinMs = 20_000;

/** One server of the service, as a process of its own behind a proxy of its own, on a port that it keeps. */
export class TorturedServer {
  private child: ChildProcess | null = null;
  private isWanted = false;
  private starting: Promise<void> | null = null;
  private said: string[] = [];
  /** When it was killed, as `Date.now()` says it. */
  readonly kills: number[] = [];
  /** When it was gone, killed or told to end. */
  readonly ends: number[] = [];
  /** How it ended when nobody had told it to. */
  readonly crashes: string[] = [];
  /** When it was told to end in order and did not. */
  readonly stuck: string[] = [];
  /** What it logged as an error. */
  readonly faults: string[] = [];

  private constructor(
    readonly name: string,
    readonly port: number,
    readonly proxy: FaultProxy,
    private readonly databaseUrl: string,
    readonly dataDir: string,
    /** The root of the version that runs. */
    public version: string,
  ) {}

  static async start(name: string, databaseUrl: string, version = projectFile()): Promise<TorturedServer> {
    const proxy = await FaultProxy.open(Number(new URL(databaseUrl).port));
    const throughProxy = Object.assign(new URL(databaseUrl), { port: String(proxy.port) }).href;
    const dataDir = await mkdtemp(join(tmpdir(), 'parcel-records-tortured-'));
    const server = new TorturedServer(name, await freePort(), proxy, throughProxy, dataDir, version);
    await server.run();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Brings it up, if it is not; while the database is away it tries again, as a supervisor does. */
  async run(): Promise<void> {
    this.isWanted = true;
    if (this.child && !this.starting) return;
    this.starting ??= this.tryUntilUp().finally(() => {
      this.starting = null;
    });
    await this.starting;
  }

  /** @returns false when it was down already */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<boolean> {
    this.isWanted = false;
    const { child } = this;
    if (!child) return false;
    const ended = once(child, 'exit');
    if (signal === 'SIGKILL') this.kills.push(Date.now());
    child.kill(signal);
    const giveUp = setTimeout(() => {
      this.stuck.push(`${this.name} was still there ${endsWithinMs / 1000} s after ${signal}: ${this.said.slice(-3).join(' · ')}`);
      child.kill('SIGKILL');
    }, endsWithinMs);
    await ended;
    this.ends.push(Date.now());
    clearTimeout(giveUp);
    return true;
  }

  async close(): Promise<void> {
    await this.end('SIGTERM');
    await this.proxy.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  private async tryUntilUp(): Promise<void> {
    while (this.isWanted && !(await this.attempt())) await pause(200);
  }

  private async attempt(): Promise<boolean> {
    const child = spawn(process.execPath, [join(this.version, 'dist/src/main.js')], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: String(this.port),
        HOST: '127.0.0.1',
        DATABASE_URL: this.databaseUrl,
        DATA_DIR: this.dataDir,
        AUTH_SECRET: 'a secret of the torture, long enough for it',
        LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    this.said = [];
    let isUp = false;
    const up = new Promise<boolean>((resolve) => {
      const listen = (text: string) => {
        const lines = text.split('\n').filter(Boolean);
        this.said = [...this.said, ...lines].slice(-saidLines);
        this.faults.push(...lines.filter((line) => line.startsWith(errorLine)));
        if (text.includes(' is up at ')) resolve(true);
      };
      child.stdout.setEncoding('utf8').on('data', listen);
      child.stderr.setEncoding('utf8').on('data', listen);
      child.once('exit', (code, signal) => {
        if (this.child === child) this.child = null;
        // One that cannot start without its database says so and ends; one that ran has no reason to.
        if (isUp && this.isWanted) {
          this.crashes.push(`${this.name} ended with ${code ?? signal}: ${this.said.slice(-6).join(' · ')}`);
          void this.run();
        }
        resolve(false);
      });
    });
    isUp = await up;
    return isUp;
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
