import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

export interface TestDatabase {
  url: string;
  /** Runs one statement as the database's owner, beside the service. */
  query<Row extends object = Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Moves the service's one clock by this much from now on, for everybody who uses this database. */
  moveClock(interval: string): Promise<void>;
  drop(): Promise<void>;
}

/** A database of its own, cloned from the migrated template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = process.env.TEST_TEMPLATE_URL;
  if (!template) throw new Error('run through Jest: its global setup starts Postgres');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const server = template.replace(/\/[^/]*$/, '');
  const owner = new Client({ connectionString: `${server}/postgres` });
  await owner.connect();
  await owner.query(`create database ${name} template parcel_records`);
  const url = `${server}/${name}`;
  const client = new Client({ connectionString: url });
  await client.connect();
  let offset = '0 seconds';
  return {
    url,
    query: async (sql, values) => (await client.query(sql, values)).rows,
    moveClock: async (interval) => {
      const { rows } = await client.query('select ($1::interval + $2::interval)::text as sum', [offset, interval]);
      offset = rows[0].sum;
      await client.query(`
        create or replace function service_now() returns timestamptz language sql volatile parallel safe
        return clock_timestamp() + interval '${offset}'
      `);
    },
    drop: async () => {
      await client.end();
      await owner.query(`drop database ${name} with (force)`);
      await owner.end();
    },
  };
}
