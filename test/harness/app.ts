import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../src/app.js';
import { type Config, readConfig } from '../../src/config.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { entities } from '../../src/entities.js';
import { createLog } from '../../src/log.js';
import { Caller } from './caller.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { Person } from './person.js';

export interface TestApp extends Caller {
  config: Config;
  /** The rooms' view of the database; for what only the command line does. */
  database: Database;
  /** The database as its owner sees it. */
  db: TestDatabase;
  /** Somebody new, with a session. */
  signUp(): Promise<Person>;
  signUpOperator(): Promise<Person>;
  /** A new person's trial token. */
  trialToken(): Promise<string>;
  /** Stops this server. The database goes with the last one on it. */
  close(): Promise<void>;
}

/** The real service on a free port, on a database of its own or beside another server on the same one. */
export async function startApp(env: Record<string, string> = {}, beside?: TestApp): Promise<TestApp> {
  const db = beside?.db ?? (await createTestDatabase());
  const dataDir = await mkdtemp(join(tmpdir(), 'parcel-records-app-'));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const config = readConfig({
    NODE_ENV: 'test',
    PORT: String(port),
    BASE_URL: `http://localhost:${port}`,
    DATABASE_URL: db.url,
    DATA_DIR: dataDir,
    AUTH_SECRET: 'a secret of the tests, long enough',
    SIGN_UPS_PER_MINUTE: '100000',
    LOG_LEVEL: 'silent',
    ...env,
  });
  const log = createLog(config);
  const database = await openDatabase(config, log, entities);
  const app = await createApp(config, database, log);
  server.on('request', app.express);
  const url = `http://127.0.0.1:${port}`;
  const signUp = () => Person.signUp(url);
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
    trialToken: async () => (await signUp()).trialToken(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await app.close();
      await database.close();
      if (!beside) await db.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  });
}
