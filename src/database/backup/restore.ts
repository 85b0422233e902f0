import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Logger } from 'pino';
import { AppError } from '../../core/errors.js';
import { loadLimits } from '../limits.js';
import { newestMigration } from '../migrating/job-schema.js';
import { migrate, migrationClasses } from '../migrating/migrate.js';
import { ServiceClient } from '../service-client.js';
import { withSessionSettings } from '../session-settings.js';
import { type BackupEnd, type BackupHeader, type RowSink, readBackup } from './backup-file.js';
import { type BackupTable, columnsOf, otherSchemas, tablesOf } from './tables.js';

export interface RestoreOptions {
  /** Whether to drop what the database has. */
  overwrites: boolean;
  log: Logger;
  /** Called with the part of the work that is done, from 0 to 1. */
  onProgress?(done: number): void;
}

export interface Restored {
  takenAt: string;
  version: string;
  rows: number;
  /** Tables of the backup that no migration makes, such as an operator's own. */
  leftOut: string[];
}

const readBytes = 256 * 1024;

/** Reads the whole backup. @throws AppError if it is damaged, or of a newer version than this one */
export async function verifyBackup(file: FileHandle, onProgress: (done: number) => void = () => {}): Promise<BackupHeader> {
  const { header } = await readBackup(contentOf(file, onProgress));
  const known = new Set((await migrationClasses()).map(({ name }) => name));
  const unknown = header.migrations.find((name) => !known.has(name));
  if (unknown !== undefined || header.jobMigration > (await newestMigration())) {
    throw new AppError(
      'conflict',
      `The backup was made by a newer version of the service (${header.version}${unknown ? `, with ${unknown}` : ''}): restore it with that one.`,
    );
  }
  return header;
}

/**
 * Fills a database with a verified backup. It makes the tables as the backup's version had them, without functions that refuse or write
 * further rows, and copies the rows in one transaction. Migrating what is newer is the caller's.
 */
export async function restore(url: string, file: FileHandle, header: BackupHeader, options: RestoreOptions): Promise<Restored> {
  const { overwrites, log, onProgress } = options;
  const db = new ServiceClient({ connectionString: withSessionSettings(url), application_name: 'parcel-records restore', ...loadLimits });
  db.on('error', () => {}); // the running statement fails
  await db.connect();
  try {
    await refuseBusy(db);
    if (await hasTables(db)) {
      if (!overwrites) {
        throw new AppError(
          'conflict',
          'The database has tables already: restore into an empty one, or let --overwrite drop everything that it has.',
        );
      }
      await dropAll(db);
    }
    await migrate(withSessionSettings(url), log, undefined, undefined, header.migrations);
    const ours = await tablesOf(db);
    await db.query('begin');
    const links = await dropLinks(db, ours);
    for (const { name } of ours) await db.query(`alter table ${name} disable trigger user`);
    for (const { name } of ours) await db.query(`delete from ${name}`); // what migrations inserted
    const leftOut: string[] = [];
    const { end } = await readBackup(contentOf(file, onProgress), async (table) => {
      if (ours.some(({ name }) => name === table.name)) return copyInto(db, table);
      leftOut.push(table.name);
      return { write: async () => {}, end: async () => {} };
    });
    for (const { name } of ours) await db.query(`alter table ${name} enable trigger user`);
    for (const { table, name, definition } of links) await db.query(`alter table ${table} add constraint ${name} ${definition}`);
    await db.query('commit');
    await setSequences(db, end);
    await db.query(`analyze ${ours.map(({ name }) => name).join(', ')}`);
    return { takenAt: header.takenAt, version: header.version, rows: end.tables.reduce((sum, { rows }) => sum + rows, 0), leftOut };
  } finally {
    db.cut();
  }
}

async function* contentOf(file: FileHandle, onProgress: (done: number) => void = () => {}): AsyncGenerator<Buffer> {
  const { size } = await file.stat();
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(readBytes), position });
    if (bytesRead === 0) return;
    position += bytesRead;
    onProgress(position / size);
    yield buffer.subarray(0, bytesRead);
  }
}

async function refuseBusy(db: Client): Promise<void> {
  const { rows } = await db.query<{ application: string }>(
    `select distinct application_name as application from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name like 'parcel-records %'`,
  );
  if (rows.length === 0) return;
  const names = rows.map(({ application }) => application).join(', ');
  throw new AppError('conflict', `Servers or commands use this database (${names}): stop them first.`);
}

async function hasTables(db: Client): Promise<boolean> {
  const { rows } = await db.query<{ hasTables: boolean }>(`select to_regclass('migrations') is not null as "hasTables"`);
  return rows[0]!.hasTables || (await tablesOf(db)).length > 0;
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
  await db.query('begin');
  for (const schema of otherSchemas) await db.query(`drop schema if exists ${schema} cascade`);
  for (const { statement } of rows) await db.query(statement);
  await db.query('commit');
}

interface Link {
  table: string;
  name: string;
  definition: string;
}

/** Foreign keys, which are made and checked again at the end: tables refer to each other in circles. */
async function dropLinks(db: Client, tables: BackupTable[]): Promise<Link[]> {
  const { rows } = await db.query<Link>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where contype = 'f' and conparentid = 0 and conrelid = any ($1::regclass[])`,
    [tables.map(({ name }) => name)],
  );
  for (const { table, name } of rows) await db.query(`alter table ${table} drop constraint ${name}`);
  return rows;
}

async function copyInto(db: Client, table: BackupHeader['tables'][number]): Promise<RowSink> {
  const stream = db.query(copyFrom(`copy ${table.name} (${columnsOf(db, table)}) from stdin`));
  let failure: Error | undefined;
  stream.on('error', (error) => (failure = error));
  return {
    write: async (chunk) => {
      if (failure) throw failure;
      if (!stream.write(chunk)) await once(stream, 'drain');
    },
    end: async () => {
      stream.end();
      await finished(stream);
    },
  };
}

async function setSequences(db: Client, { sequences }: BackupEnd): Promise<void> {
  // One that is not there gives null, which `setval` ignores.
  for (const { name, lastValue } of sequences) await db.query('select setval(to_regclass($1), $2::bigint)', [name, lastValue]);
}
