import { setTimeout as pause } from 'node:timers/promises';
import { projectFile } from '../../src/core/project-files.js';
import { FaultProxy } from '../harness/fault-proxy.js';
import { freePort, launch, ServiceProcess } from '../harness/process.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

export const authSecret = 'a secret of the torture, long enough for it';
const errorLine = '{"level":50';
// The drain may take 8 s, and what is under way then a little more.
const endsWithinMs = 20_000;

/** One server of the service, as a process of its own behind a proxy of its own, on a port that it keeps. */
export class TorturedServer {
  private service: ServiceProcess | null = null;
  private readonly services: ServiceProcess[] = [];
  private isWanted = false;
  private starting: Promise<void> | null = null;
  /** When it was killed, as `Date.now()` says it. */
  readonly kills: number[] = [];
  /** When it was gone, killed or told to end. */
  readonly ends: number[] = [];
  /** How it ended when nobody had told it to. */
  readonly crashes: string[] = [];
  /** When it was told to end in order and did not. */
  readonly stuck: string[] = [];

  private constructor(
    readonly name: string,
    private readonly port: number,
    readonly proxy: FaultProxy,
    private readonly dataDir: string,
  ) {}

  static async start(name: string, databaseUrl: string): Promise<TorturedServer> {
    // As Postgres does that hears nothing of the other end any more (database/session.ts).
    const proxy = await FaultProxy.open(databaseUrl, 60_000);
    const server = new TorturedServer(name, await freePort(), proxy, await temporaryFolder());
    await server.run();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Its logged errors. */
  get faults(): string[] {
    return this.services.flatMap(linesOf).filter((line) => line.startsWith(errorLine));
  }

  /** Brings it up, if it is not; while the database is away it tries again, as a supervisor does. */
  async run(): Promise<void> {
    this.isWanted = true;
    if (this.service && !this.starting) return;
    this.starting ??= this.tryUntilUp().finally(() => {
      this.starting = null;
    });
    await this.starting;
  }

  /** @returns false when it was down already */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<boolean> {
    this.isWanted = false;
    const { service } = this;
    if (!service) return false;
    if (signal === 'SIGKILL') this.kills.push(Date.now());
    const giveUp = setTimeout(() => {
      this.stuck.push(`${this.name} was still there ${endsWithinMs / 1000} s after ${signal}: ${lastLines(service, 3)}`);
      void service.end('SIGKILL');
    }, endsWithinMs);
    await service.end(signal);
    this.ends.push(Date.now());
    clearTimeout(giveUp);
    return true;
  }

  private async tryUntilUp(): Promise<void> {
    while (this.isWanted && !(await this.attempt())) await pause(200);
  }

  private async attempt(): Promise<boolean> {
    const env = {
      HOST: '127.0.0.1',
      DATABASE_URL: this.proxy.url,
      DATA_DIR: this.dataDir,
      AUTH_SECRET: authSecret,
      LOG_LEVEL: 'warn',
      DRAIN_NOTICE_SECONDS: '1',
    };
    const service = ServiceProcess.at(this.port, env, (all) => launch(process.execPath, [projectFile('dist/src/main.js')], all));
    this.services.push(service);
    this.service = service;
    let isUp = false;
    void service.ended.then(({ code }) => {
      if (this.service === service) this.service = null;
      // One that cannot start without its database says so and ends; one that ran has no reason to.
      if (!isUp || !this.isWanted) return;
      this.crashes.push(`${this.name} ended with ${code}: ${lastLines(service, 6)}`);
      void this.run();
    });
    isUp = await service.isUp.then(
      () => true,
      () => false,
    );
    return isUp;
  }
}

const linesOf = ({ said }: ServiceProcess): string[] => said.split('\n').filter(Boolean);

const lastLines = (service: ServiceProcess, count: number): string => linesOf(service).slice(-count).join(' · ');
