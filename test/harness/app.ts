import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { PoolConfig } from 'pg';
import { audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { type Config, readConfig } from '../../src/core/config.js';
import { createLog } from '../../src/core/log.js';
import type { Database } from '../../src/database/database.js';
import { requestLimits } from '../../src/database/limits.js';
import type { AuditFinding } from '../../src/ledger/books-check.js';
import { expressClasses, httpServerOptions } from '../../src/rest/connections/http-server.js';
import { createApp } from '../../src/server/app.js';
import { openServiceDatabase } from '../../src/server/service-database.js';
import { TokenStore } from '../../src/tokens/token.store.js';
import { Caller } from './caller.js';
import { closeAtEnd } from './closing.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { listen as listenOnLoopback, stop, urlOf } from './loopback-server.js';
import { Person } from './person.js';
import { temporaryFolder } from './temporary-folder.js';

export interface TestApp extends Caller {
  config: Config;
  /** The rooms' view of the database; for what only the command line does. */
  database: Database;
  /** The database as its owner sees it. */
  db: TestDatabase;
  /** Somebody new, with a session. */
  signUp(): Promise<Person>;
  signUpOperator(): Promise<Person>;
  /** Somebody new who has taken the trial. */
  signUpWithTrial(): Promise<{ person: Person; token: string }>;
  /** A new person's trial token. */
  trialToken(): Promise<string>;
  /** A token of the paid plan that an operator gave, to somebody new unless an account is named. */
  paidToken(accountId?: string, name?: string): Promise<string>;
  /** The ids of a token and its balance. */
  identityOf(token: string): Promise<{ balanceId: string; tokenId: string }>;
  /** The entries that moved a token's balance after its grant, in order. */
  entriesOf(token: string): Promise<Entry[]>;
  /** The same in short, such as `read -5`. */
  movesOf(token: string): Promise<string[]>;
  /** The audit's findings of broken invariants. */
  brokenBooks(): Promise<AuditFinding[]>;
  /** Stops this server before the test file has ended. */
  close(): Promise<void>;
}

interface Entry {
  id: string;
  kind: string;
  records: number;
  credits: number;
  repeats: string | null;
  request_id: string | null;
}

// Tests ask for much at once, on machines that may be slow. What hangs is ended by Jest.
const patientLimits: PoolConfig = {
  ...requestLimits,
  connectionTimeoutMillis: 60_000,
  statement_timeout: 60_000,
  query_timeout: 65_000,
  lock_timeout: 60_000,
};

/**
 * The real service on a free port, on a database of its own or beside another server on the same one.
 * @param limits of a request's wait for the database; for tests of those limits `requestLimits`
 */
export async function startApp(env: Record<string, string> = {}, beside?: Pick<TestApp, 'db'>, limits = patientLimits): Promise<TestApp> {
  const db = beside?.db ?? (await createTestDatabase());
  const server = await listen();
  const url = urlOf(server);
  const { port } = new URL(url);
  const config = readConfig({
    NODE_ENV: 'test',
    PORT: port,
    BASE_URL: `http://localhost:${port}`,
    DATABASE_URL: db.url,
    DATA_DIR: await temporaryFolder(),
    AUTH_SECRET: 'a secret of the tests, long enough',
    LOG_LEVEL: 'silent',
    ...env,
  });
  const log = createLog(config);
  const database = await openServiceDatabase(config, log, { limits });
  const closeDatabase = closeAtEnd(() => database.close());
  const app = await createApp(config, database, log);
  app.serve(server, classesOf.get(server)!);
  const closeApp = closeAtEnd(async () => {
    await stop(server);
    await app.close();
  });
  const signUp = () => Person.signUp(url);
  const signUpWithTrial = async () => {
    const person = await signUp();
    return { person, token: await person.trialToken() };
  };
  const identityOf = async (token: string) => {
    const [row] = await db.query<{ balanceId: string; tokenId: string }>(
      `select balance_id as "balanceId", token_id as "tokenId" from token_lookup where token_hash = sha256(convert_to($1, 'UTF8'))`,
      [token],
    );
    return row!;
  };
  const entriesOf = async (token: string) =>
    db.query<Entry>(`select * from ledger_entry where balance_id = $1 and kind not in ('grant', 'terms', 'token') order by sequence`, [
      (await identityOf(token)).balanceId,
    ]);
  return Object.assign(new Caller(url), {
    config,
    database,
    db,
    signUp,
    signUpOperator: async () => {
      const person = await signUp();
      await db.query(`update auth."user" set role = 'admin' where id = $1`, [person.id]);
      return person;
    },
    signUpWithTrial,
    trialToken: async () => (await signUpWithTrial()).token,
    paidToken: async (accountId = randomUUID(), name = 'paid') =>
      (await new TokenStore(database.dataSource).issuePaidByOperator(accountId, name)).rawToken,
    identityOf,
    entriesOf,
    movesOf: async (token: string) => (await entriesOf(token)).map(({ kind, credits }) => `${kind} ${credits}`),
    brokenBooks: async () => (await audit(database.pool, auditChecks)).filter(({ firstBreak }) => firstBreak),
    close: () => closeApp().then(closeDatabase),
  });
}

const classesOf = new WeakMap<Server, ReturnType<typeof expressClasses>>();

/** A server on a free port that answers nothing yet. As the service, it keeps connections: a busy test may use one while it is closed. */
export async function listen(): Promise<Server> {
  const classes = expressClasses();
  const server: Server = await listenOnLoopback(createServer({ ...httpServerOptions, ...classes, keepAliveTimeout: 65_000 }));
  classesOf.set(server, classes);
  return server;
}

export { urlOf };
