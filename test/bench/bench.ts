import { join } from 'node:path';
import { createLog } from '../../src/core/log.js';
import type { Database } from '../../src/database/database.js';
import { clusterPath } from '../../src/database/embedded/cluster.js';
import { readPidFile } from '../../src/database/embedded/postmaster.js';
import { commandLimits } from '../../src/database/limits.js';
import { openServiceDatabase } from '../../src/server/service-database.js';
import { TokenStore } from '../../src/tokens/token.store.js';
import { closeAtEnd } from '../harness/closing.js';
import { openClient } from '../harness/database.js';
import { launch, ServiceProcess } from '../harness/process.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { runScript } from './child.js';
import { cpuSeconds } from './cpu.js';
import { type HttpOutcome, runScriptRepeatedly, sendRequests } from './load.js';
import { createTokenTable } from './our-statements.js';
import { publishStock } from './stock.js';

export const tokenCount = 200;
export const connections = 32;
export const clients = 16;
/** Until a server has answered so many, a read costs up to six times as much: V8 has not compiled its path yet. */
const warmUpReads = 20_000;
const warmUpSeconds = 2;
/** Large pages would take minutes. */
const warmUpRounds = 10;

/** Requests that were answered, and the seconds of CPU that they cost. */
export interface Served extends HttpOutcome {
  serverSeconds: number;
  postgresSeconds: number;
}

/** One embedded Postgres in a temporary folder, a county in it, and tokens to read it with. */
export class Bench {
  /** How many requests each server has answered. */
  private readonly answered = new WeakMap<ServiceProcess, number>();

  private constructor(
    readonly database: Database,
    readonly dataDir: string,
    readonly postgresPid: number,
    readonly releaseId: number,
    readonly tokens: string[],
    /** The length of each round. */
    readonly seconds: number,
    readonly close: () => Promise<void>,
  ) {}

  static async open(seconds: number): Promise<Bench> {
    const dataDir = await temporaryFolder();
    const database = await openServiceDatabase({ dataDir }, createLog({ logLevel: 'error' }), { limits: commandLimits });
    const close = closeAtEnd(() => database.close());
    const { pool, dataSource } = database;
    const releaseId = await publishStock(pool);
    const store = new TokenStore(dataSource);
    const tokens: string[] = [];
    for (let n = 0; n < tokenCount; n++) tokens.push((await store.issuePaidByOperator(`bench ${n}`, 'bench')).rawToken);
    await pool.query(createTokenTable);
    for (const statement of ['vacuum analyze', 'checkpoint']) await pool.query(statement);
    const { pid } = (await readPidFile(clusterPath(dataDir)))!;
    return new Bench(database, dataDir, pid, releaseId, tokens, seconds, close);
  }

  /** Makes a database of others beside ours. @returns its address */
  async createBeside(name: string, statements: string[]): Promise<string> {
    await this.database.pool.query(`create database ${name}`);
    const url = Object.assign(new URL(this.database.url), { pathname: name }).href;
    const client = await openClient({ url });
    for (const statement of statements) await client.query(statement);
    return url;
  }

  /** Starts the service, as `npm start` does, for as long as the work takes. */
  async withService<T>(work: (server: ServiceProcess) => Promise<T>, env: Record<string, string> = {}): Promise<T> {
    const all = { NODE_ENV: 'production', MAIL_TO_OUTBOX: 'yes', DATA_DIR: this.dataDir, BASE_URL: 'http://localhost', ...env };
    const server = await ServiceProcess.start(all, (given) => launch('sh', [runScript, 'serve'], given));
    return work(server).finally(() => server.end('SIGTERM'));
  }

  /** Sends the requests for one round, going on where the last one ended. A server that has just started is warmed up before. */
  async serve(server: ServiceProcess, requests: string[], options: { rate?: number; connections?: number } = {}): Promise<Served> {
    const plan = { port: Number(new URL(server.url).port), file: join(this.dataDir, 'requests.txt'), connections, ...options };
    const send = async (seconds: number) => {
      const next = this.answeredBy(server) % requests.length;
      const outcome = await sendRequests([...requests.slice(next), ...requests.slice(0, next)], { ...plan, seconds });
      this.answered.set(server, this.answeredBy(server) + outcome.count);
      return outcome;
    };
    for (let n = 0; n < warmUpRounds && this.answeredBy(server) < warmUpReads; n++) await send(warmUpSeconds);
    const [serverBefore, postgresBefore] = [cpuSeconds(server.pid), cpuSeconds(this.postgresPid)];
    const outcome = await send(this.seconds);
    return {
      ...outcome,
      serverSeconds: cpuSeconds(server.pid) - serverBefore,
      postgresSeconds: cpuSeconds(this.postgresPid) - postgresBefore,
    };
  }

  private answeredBy(server: ServiceProcess): number {
    return this.answered.get(server) ?? 0;
  }

  /** Runs a script of pgbench's language for one round. Gives how often it ran a second, and the CPU of Postgres for each. */
  async run(script: string, clientCount: number, url = this.database.url): Promise<{ rate: number; postgresSeconds: number }> {
    const before = cpuSeconds(this.postgresPid);
    const plan = { url, file: join(this.dataDir, 'script.sql'), clients: clientCount, seconds: this.seconds };
    const rate = await runScriptRepeatedly(script, plan);
    const postgresSeconds = (cpuSeconds(this.postgresPid) - before) / (rate * this.seconds);
    // What was spent without a server is delivered by nobody, and must not be taken back by the next one while that is measured.
    await this.database.pool.query('truncate undelivered_read');
    return { rate, postgresSeconds };
  }
}
