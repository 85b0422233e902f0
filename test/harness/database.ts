import { randomUUID } from 'node:crypto';
import { Client, type ClientConfig, Pool, type PoolConfig } from 'pg';
import { closeAtEnd } from './closing.js';

/** A transaction in a session of its own. */
export interface Held {
  query(sql: string): Promise<unknown>;
  release(): Promise<void>;
}

export interface TestDatabase {
  /** As the service's own role. */
  url: string;
  /** Runs one statement as the superuser that the service is not, beside the service. */
  query<Row extends object = Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** The first column of its first row. */
  value<Value>(sql: string, values?: unknown[]): Promise<Value>;
  /** Holds what a statement locks, and what it changes, in a transaction that ends with `release`. */
  hold(sql: string, values?: unknown[]): Promise<Held>;
  /** How many sessions wait for a lock. */
  countWaiting(): Promise<number>;
  /** Changes it with `alter database`, such as what its sessions begin with. */
  alter(change: string): Promise<unknown>;
  /** Moves the service's one clock by this much from now on, for everybody who uses this database. */
  moveClock(interval: string): Promise<void>;
  /** Sets it, and lets it stand still from then on. */
  setClock(at: Date): Promise<void>;
  /** Lets it stand still from now on, except where it is moved: how fast this machine is makes no difference then. */
  stopClock(): Promise<void>;
  /** Ends its own connection, so that it can be cloned. */
  rest(): Promise<void>;
  /** Drops it before the test file has ended. */
  drop(): Promise<void>;
}

/** A database of its own: a clone of the migrated template or of a test's, or empty, cloned from Postgres' own `template0`. */
export async function createTestDatabase(template: 'migrated' | 'template0' | TestDatabase = 'migrated'): Promise<TestDatabase> {
  const { TEST_TEMPLATE_URL: server, TEST_SERVICE_URL: service } = process.env;
  if (!server || !service) throw new Error('run through Jest: its global setup starts Postgres');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const owner = new Client({ connectionString: databaseAt(server, 'postgres') });
  await owner.connect();
  const client = new Client({ connectionString: databaseAt(server, name) });
  const drop = closeAtEnd(async () => {
    await client.end();
    await owner.query(`drop database if exists ${name} with (force)`);
    await owner.end();
  });
  const from = template === 'migrated' ? nameOf(server) : template === 'template0' ? template : nameOf(template.url);
  await owner.query(`create database ${name} template ${from} owner service`);
  await client.connect();
  let [time, offset] = ['clock_timestamp()', '0 seconds'];
  const setClock = () =>
    client.query(`
      create or replace function service_now() returns timestamptz language sql volatile parallel safe
      return ${time} + interval '${offset}'
    `);
  const value = async <Value>(sql: string, values?: unknown[]) => Object.values((await client.query(sql, values)).rows[0])[0] as Value;
  return {
    url: databaseAt(service, name),
    query: async (sql, values) => (await client.query(sql, values)).rows,
    value,
    hold: async (sql, values) => {
      const holder = await openClient({ url: databaseAt(service, name) });
      await holder.query('begin');
      await holder.query(sql, values);
      return { query: (more) => holder.query(more), release: () => holder.query('commit').then(() => holder.end()) };
    },
    countWaiting: () =>
      value(`select count(*)::integer from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
    alter: (change) => client.query(`alter database ${name} ${change}`),
    moveClock: async (interval) => {
      const { rows } = await client.query('select ($1::interval + $2::interval)::text as sum', [offset, interval]);
      offset = rows[0].sum;
      await setClock();
    },
    setClock: async (at) => {
      [time, offset] = [`timestamptz '${at.toISOString()}'`, '0 seconds'];
      await setClock();
    },
    stopClock: async () => {
      const { rows } = await client.query('select clock_timestamp()::text as now');
      time = `timestamptz '${rows[0].now}'`;
      await setClock();
    },
    rest: () => client.end(),
    drop,
  };
}

/** Connections to such a database, as the service's own role, until the test file has ended. */
export function openPool({ url }: Pick<TestDatabase, 'url'>, options: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString: url, ...options });
  pool.on('error', () => {}); // it says that it has ended before its connections have, and the database is dropped under them
  closeAtEnd(() => pool.ending || pool.end());
  return pool;
}

/** One such connection. */
export async function openClient({ url }: Pick<TestDatabase, 'url'>, options: ClientConfig = {}): Promise<Client> {
  const client = new Client({ connectionString: url, ...options });
  client.on('error', () => {});
  closeAtEnd(() => client.end());
  return client.connect();
}

const nameOf = (url: string): string => url.replace(/^.*\//, '');

const databaseAt = (url: string, name: string): string => url.replace(/[^/]*$/, name);
