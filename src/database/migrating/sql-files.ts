import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { projectFile } from '../../core/project-files.js';

/** Functions and triggers of a room, as one file in its folder `sql`. */
interface SqlFile {
  /** As `ledger/spending/spend`. */
  name: string;
  text: string;
  checksum: string;
}

/**
 * Applies the SQL files of the rooms whose text is not the one that was applied last; all of them when tables have changed.
 * Runs under the migration lock, in one transaction.
 * @returns the names of the files that were applied
 */
export async function applySqlFiles(db: Client, rooms: string[], haveTablesChanged: boolean): Promise<string[]> {
  await db.query(`
    create table if not exists sql_file (
      name       text        not null,
      checksum   text        not null,
      applied_at timestamptz not null default clock_timestamp(),
      constraint sql_file_pkey primary key (name)
    )`);
  const { rows } = await db.query<{ name: string; checksum: string }>('select name, checksum from sql_file');
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  const files = (await readSqlFiles(rooms)).filter(({ name, checksum }) => haveTablesChanged || applied.get(name) !== checksum);
  if (files.length === 0) return [];
  await db.query('begin');
  try {
    // A function may be created before one that it calls.
    await db.query('set local check_function_bodies = off');
    for (const { name, text, checksum } of files) {
      await db.query(text).catch((cause: Error) => {
        throw new Error(`src/${name.replace('/', '/sql/')}.sql: ${cause.message}`, { cause });
      });
      await db.query(
        `insert into sql_file (name, checksum) values ($1, $2)
         on conflict (name) do update set checksum = excluded.checksum, applied_at = clock_timestamp()`,
        [name, checksum],
      );
    }
    await db.query('commit');
  } catch (error) {
    await db.query('rollback');
    throw error;
  }
  return files.map(({ name }) => name);
}

/** The rooms that have SQL files. */
export async function sqlRooms(): Promise<string[]> {
  const entries = await readdir(projectFile('src'), { withFileTypes: true });
  const rooms = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const contents = await Promise.all(rooms.map((room) => readdir(projectFile('src', room))));
  return rooms.filter((_, index) => contents[index]!.includes('sql')).sort();
}

async function readSqlFiles(rooms: string[]): Promise<SqlFile[]> {
  const files: SqlFile[] = [];
  for (const room of rooms) {
    const folder = projectFile('src', room, 'sql');
    for (const file of (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()) {
      const text = await readFile(join(folder, file), 'utf8');
      files.push({ name: `${room}/${file.slice(0, -4)}`, text, checksum: createHash('sha256').update(text).digest('hex') });
    }
  }
  return files;
}
