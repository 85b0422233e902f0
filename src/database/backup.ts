import { createHash } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Logger } from 'pino';
import { AppError } from '../core/errors.js';
import { leaveHome } from './database-home.js';
import { migrate, migrationClasses, newestJobMigration } from './migrating/migrate.js';
import { connectAlone } from './service-client.js';
import { withSessionSettings } from './session-settings.js';

// Level 6 takes twice as long for a sixth less.
const gzipLevel = 1;

/** The first row of a backup. The rows of the tables follow. */
interface BackupHeader {
  /** The version of the service that made it. */
  version: string;
  /** The moment of its snapshot. */
  takenAt: string;
  migrations: string[];
  /** The newest migration of the job library. */
  jobMigration: number;
  /** At the place that is their rows' first column, from 1. */
  tables: string[];
  sequences: { name: string; lastValue: string }[];
}

/** The schemas of better-auth and of the job library. The service's own tables are in the current schema. */
const otherSchemas = ['auth', 'graphile_worker'];

/** They say what this version has made of the tables; a restore makes them anew. */
const schemaVersions = ['migrations', 'sql_file', 'graphile_worker.migrations'];

/** The end of a backup: the digest of everything before it, at no table's place. */
const digestRow = (digest: string): string => `-1\t${digest}\n`;

/**
 * Writes a backup: a snapshot of all rows as one compressed COPY, each row as the text of a value of its table's type. No lock is stronger
 * than that of a select.
 * @param onBytes called with how many further bytes were copied
 */
export async function backUp(
  url: string,
  version: string,
  output: Writable,
  onBytes: (count: number) => void = () => {},
): Promise<{ takenAt: string; tables: number; rows: number }> {
  const db = await connectAlone(url, 'backup');
  try {
    const tables = await tablesOf(db);
    await db.query('begin isolation level repeatable read, read only');
    // Before the snapshot: one that is older than a change of a table would see none of its rows.
    await db.query(`lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`);
    if (JSON.stringify(await tablesOf(db)) !== JSON.stringify(tables)) {
      throw new AppError('conflict', 'A migration changed the tables just now: make the backup again.');
    }
    // Sequences are outside of transactions: read after the snapshot began, they are never behind the rows.
    const { rows } = await db.query(
      `select to_json(service_now())#>>'{}' as "takenAt", (select array_agg(name::text order by id) from migrations) as migrations,
              (select max(id) from graphile_worker.migrations) as "jobMigration",
              (select json_agg(json_build_object('name', format('%I.%I', schemaname, sequencename), 'lastValue', last_value::text))
                 from pg_sequences where (schemaname = current_schema() or schemaname = any ($1)) and last_value is not null) as sequences`,
      [otherSchemas],
    );
    const header: BackupHeader = { version, ...rows[0], tables: tables.map(({ name }) => name) };
    const parts = header.tables.map((name, at) => `select ${at + 1}, t::text from ${name} t`);
    const copied = db.query(
      copyTo(`copy (${[`select 0, ${db.escapeLiteral(JSON.stringify(header))}`, ...parts].join(' union all ')}) to stdout`),
    );
    const hash = createHash('sha256');
    async function* content(): AsyncGenerator<Buffer | string> {
      for await (const chunk of copied as AsyncIterable<Buffer>) {
        hash.update(chunk);
        onBytes(chunk.length);
        yield chunk;
      }
      yield digestRow(hash.digest('hex'));
    }
    await pipeline(content, createGzip({ level: gzipLevel }), output);
    await db.query('commit');
    return { takenAt: header.takenAt, tables: tables.length, rows: copied.rowCount - 1 };
  } finally {
    db.cut();
  }
}

/**
 * Fills a database with a backup, which is first read into a temporary table and checked. It makes the tables as the backup's version had
 * them, without functions that refuse or write further rows, inserts the rows in one transaction, and migrates what is newer. From then on
 * the database is a copy, which sends nothing.
 * @param overwrites whether to drop what the database has
 * @param onBytes called with how many further bytes were read
 * @throws AppError if the backup is damaged or of a newer version, or the database is in use or has tables
 */
export async function restore(
  url: string,
  input: Readable,
  overwrites: boolean,
  log: Logger,
  onBytes: (count: number) => void,
): Promise<{ takenAt: string; version: string; rows: number }> {
  const db = await connectAlone(url, 'restore');
  try {
    await refuseBusy(db);
    const isEmpty = (await tablesOf(db)).length === 0;
    if (!isEmpty && !overwrites) {
      throw new AppError(
        'conflict',
        'The database has tables already: restore into an empty one, or let --overwrite drop everything in it.',
      );
    }
    const header = await readBackup(db, input, onBytes);
    await refuseNewer(header);
    if (!isEmpty) await dropAll(db);
    await migrate(withSessionSettings(url), log, undefined, undefined, header.migrations);
    // An operator's own tables are left out.
    const tables = (await tablesOf(db)).filter(({ name }) => header.tables.includes(name));
    await db.query('begin');
    const links = await dropLinks(db);
    let rows = 0;
    for (const { name, columns } of tables) {
      await db.query(`alter table ${name} disable trigger user`);
      await db.query(`delete from ${name}`); // what migrations inserted
      // Without the offset, Postgres would read each row's text once for each column.
      const { rowCount } = await db.query(
        `insert into ${name} (${columns.join()}) overriding system value
         select ${columns.map((column) => `(r).${column}`)} from (select content::${name} as r from backup_row where place = $1 offset 0) b`,
        [header.tables.indexOf(name) + 1],
      );
      rows += rowCount!;
      await db.query(`alter table ${name} enable trigger user`);
    }
    for (const { table, name, definition } of links) await db.query(`alter table ${table} add constraint ${name} ${definition}`);
    // One that is not there gives null, which `setval` ignores.
    for (const { name, lastValue } of header.sequences ?? [])
      await db.query('select setval(to_regclass($1), $2::bigint)', [name, lastValue]);
    await db.query('commit');
    await db.query(`analyze ${tables.map(({ name }) => name).join()}`);
    await migrate(withSessionSettings(url), log, leaveHome);
    return { takenAt: header.takenAt, version: header.version, rows };
  } finally {
    db.cut();
  }
}

/** Copies all of it into `backup_row`. */
async function readBackup(db: Client, input: Readable, onBytes: (count: number) => void): Promise<BackupHeader> {
  await db.query('create temporary table backup_row (place integer not null, content text not null)');
  try {
    await pipeline(input, createGunzip(), (content) => verified(content, onBytes), db.query(copyFrom('copy backup_row from stdin')));
    const { rows } = await db.query<{ content: string }>('select content from backup_row where place = 0');
    await db.query('create index on backup_row (place); analyze backup_row');
    return JSON.parse(rows[0]!.content);
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string };
    throw /^(Z_|22)/.test(code) ? damaged(message) : error;
  }
}

/** Passes on all but the digest at the end, and compares it. */
async function* verified(content: AsyncIterable<Buffer>, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const endBytes = digestRow('0'.repeat(64)).length;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of content) {
    rest = Buffer.concat([rest, chunk]);
    const sure = rest.subarray(0, Math.max(0, rest.length - endBytes));
    hash.update(sure);
    onBytes(sure.length);
    yield sure;
    rest = rest.subarray(sure.length);
  }
  if (rest.toString() !== digestRow(hash.digest('hex'))) throw damaged('its end is missing, or something in it was changed');
}

const damaged = (why: string): AppError =>
  new AppError('invalid_request', `This backup cannot be used: ${why}. Nothing was restored: take another copy of it, or an older one.`);

async function refuseNewer({ migrations, jobMigration, version }: BackupHeader): Promise<void> {
  const known = new Set((await migrationClasses()).map(({ name }) => name));
  const unknown = migrations.find((name) => !known.has(name));
  if (unknown === undefined && jobMigration <= (await newestJobMigration())) return;
  throw new AppError(
    'conflict',
    `The backup was made by a newer version of the service (${version}${unknown ? `, with ${unknown}` : ''}): restore it with that one.`,
  );
}

async function refuseBusy(db: Client): Promise<void> {
  const { rows } = await db.query<{ names: string | null }>(
    `select string_agg(distinct application_name, ', ') as names from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name like 'parcel-records %'`,
  );
  const { names } = rows[0]!;
  if (names !== null) throw new AppError('conflict', `Servers or commands use this database (${names}): stop them first.`);
}

/** An owner may drop tables that it may not delete from. What extensions made stays. */
async function dropAll(db: Client): Promise<void> {
  const { rows } = await db.query<{ statement: string }>(
    `with own as (
       select 'table' as kind, oid::regclass::text as name, 'pg_class'::regclass as class, oid from pg_class
        where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
       union all
       select 'routine', oid::regprocedure::text, 'pg_proc'::regclass, oid from pg_proc where pronamespace = current_schema()::regnamespace
     )
     select format('drop %s if exists %s cascade', kind, name) as statement from own
      where not exists (select from pg_depend d where d.classid = own.class and d.objid = own.oid and d.deptype = 'e')
      order by kind desc`,
  );
  const statements = [
    ...otherSchemas.map((schema) => `drop schema if exists ${schema} cascade`),
    ...rows.map(({ statement }) => statement),
  ];
  await db.query(`begin; ${statements.join('; ')}; commit`);
}

/** Foreign keys, which are made and checked again at the end: tables refer to each other in circles. */
async function dropLinks(db: Client): Promise<{ table: string; name: string; definition: string }[]> {
  const { rows } = await db.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
       from pg_constraint
      where contype = 'f' and conparentid = 0 and (connamespace = current_schema()::regnamespace or connamespace::regnamespace::text = any ($1))`,
    [otherSchemas],
  );
  for (const { table, name } of rows) await db.query(`alter table ${table} drop constraint ${name}`);
  return rows;
}

/** Tables whose rows outlast a crash of Postgres. The others are uploads, and reads that are on their way to a caller. */
export async function tablesOf(db: Client): Promise<{ name: string; columns: string[] }[]> {
  const { rows } = await db.query<{ name: string; columns: string[] }>(
    `select c.oid::regclass::text as name,
            (select array_agg(quote_ident(attname) order by attnum) from pg_attribute
              where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
        and (n.nspname = current_schema() or n.nspname = any ($1))
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      order by name`,
    [otherSchemas],
  );
  return rows.filter(({ name }) => !schemaVersions.includes(name));
}
