import { readdirSync, readFileSync } from 'node:fs';
import type { QueryRunner } from 'typeorm';
import { projectFile } from '../../src/core/project-files.js';
import { migrationClasses } from '../../src/database/migrating/migrate.js';
import type { TestDatabase } from './database.js';

/** A database as SQL that needs none of our code: tables, rows and functions, with owner and rights as the service has them. */
export async function dumpDatabase(db: TestDatabase): Promise<string> {
  // Each start adds the counties again.
  await db.query('delete from county where current_release_id is null');
  const source = projectFile('src');
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.sql'));
  const functions = paths.sort().map((path) => readFileSync(`${source}/${path}`, 'utf8'));
  return [
    'set role service; set check_function_bodies = off',
    'create table migrations (id serial primary key, timestamp bigint not null, name varchar not null)',
    'create table sql_file (name text primary key, checksum text not null, applied_at timestamptz not null default clock_timestamp())',
    functions.find((text) => text.includes('function service_now()'))!,
    ...(await tables()),
    // Neither triggers nor foreign keys: the rows have been through both.
    'reset role; set session_replication_role = replica',
    ...(await rows(db)),
    'reset session_replication_role; set role service',
    ...functions,
    'reset role; reset check_function_bodies',
  ].join(';\n');
}

/** The migrations' tables. */
async function tables(): Promise<string[]> {
  const texts: string[] = [];
  const listener = { query: async (text: string) => texts.push(text) } as unknown as QueryRunner;
  for (const Migration of await migrationClasses()) await new Migration().up(listener);
  return texts;
}

async function rows(db: TestDatabase): Promise<string[]> {
  const found = await db.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname in ('public', 'auth') and relkind in ('r', 'p') and not relispartition and relpersistence = 'p' order by 1`,
  );
  const texts: string[] = [];
  for (const { name } of found) {
    const [row] = await db.query<{ text: string | null }>(`select json_agg(t)::text as text from ${name} t`);
    texts.push(`delete from ${name}`); // what migrations inserted
    if (row!.text === null) continue;
    texts.push(
      `insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, $rows$${row!.text}$rows$)`,
    );
  }
  const sequences = await db.query<{ text: string }>(
    `select format('select setval(%L, %s)', format('%I.%I', schemaname, sequencename), last_value) as text
       from pg_sequences where schemaname in ('public', 'auth') and last_value is not null`,
  );
  return [...texts, ...sequences.map(({ text }) => text)];
}
