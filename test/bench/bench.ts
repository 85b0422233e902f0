import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../src/database/database.js';
import { TokenStore } from '../../src/tokens/token.store.js';
import { type ChildServer, startService } from './child.js';
import { cpuSeconds } from './cpu.js';
import { type HttpOutcome, sendRequests } from './http-load.js';
import { createTokenTable } from './our-statements.js';
import { runScriptRepeatedly } from './sql-load.js';
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
  private constructor(
    readonly database: Database,
    readonly dataDir: string,
    readonly postgresPid: number,
    readonly releaseId: number,
    readonly tokens: string[],
    /** Of each round. */
    readonly seconds: number,
  ) {}

  static async open(database: Database, dataDir: string, seconds: number): Promise<Bench> {
    const { pool, dataSource } = database;
    const releaseId = await publishStock(pool);
    const store = new TokenStore(dataSource);
    const issued = Array.from({ length: tokenCount }, (_, n) => store.issuePaidByOperator(`bench ${n}`, 'bench'));
    const tokens = (await Promise.all(issued)).map(({ rawToken }) => rawToken);
    await pool.query(createTokenTable);
    for (const statement of ['vacuum analyze', 'checkpoint']) await pool.query(statement);
    const postgresPid = Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
    return new Bench(database, dataDir, postgresPid, releaseId, tokens, seconds);
  }

  /** Starts the service for as long as the work takes. */
  async withService<T>(work: (server: ChildServer) => Promise<T>, env: Record<string, string> = {}): Promise<T> {
    const server = await startService({ DATA_DIR: this.dataDir, PORT: '0', BASE_URL: 'http://localhost', ...env });
    return work(server).finally(() => server.stop());
  }

  /** Sends the requests for one round, going on where the last one ended. A server that has just started is warmed up before. */
  async serve(server: ChildServer, requests: string[], options: { rate?: number; connections?: number } = {}): Promise<Served> {
    const plan = { port: server.port, file: join(this.dataDir, 'requests.txt'), connections, ...options };
    const send = async (seconds: number) => {
      const next = server.answered % requests.length;
      const outcome = await sendRequests([...requests.slice(next), ...requests.slice(0, next)], { ...plan, seconds });
      server.answered += outcome.count;
      return outcome;
    };
    for (let n = 0; n < warmUpRounds && server.answered < warmUpReads; n++) await send(warmUpSeconds);
    const [serverBefore, postgresBefore] = [cpuSeconds(server.pid), cpuSeconds(this.postgresPid)];
    const outcome = await send(this.seconds);
    return {
      ...outcome,
      serverSeconds: cpuSeconds(server.pid) - serverBefore,
      postgresSeconds: cpuSeconds(this.postgresPid) - postgresBefore,
    };
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
