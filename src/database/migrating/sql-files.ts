import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Client } from 'pg';
import { projectFile } from '../../core/project-files.js';

/** A function or trigger of a room, in a folder `sql` of the room or of a sub-room. */
interface SqlFile {
  /** The path below `src` without `sql` and the suffix: `ledger/spending`. */
  name: string;
  path: string;
  text: string;
  checksum: string;
}

/**
 * Applies the SQL files of the rooms whose text has changed, or all of them if tables have changed. Runs under the migration lock, in one
 * transaction.
 * @returns the names of the applied files
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
    for (const { name, path, text, checksum } of files) {
      await db.query(text).catch((cause: Error) => {
        throw new Error(`src/${path}: ${cause.message}`, { cause });
      });
      // A moved file has a new name. Deletes the old name, so that an older version that starts again applies its text anew.
      await db.query(`delete from sql_file where name <> $1 and split_part(name, '/', -1) = split_part($1, '/', -1)`, [name]);
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

/** The text of each function of this release. Those without one are expressions, which Postgres keeps in another form. */
export async function functionBodies(): Promise<{ name: string; body: string }[]> {
  const texts = await Promise.all((await sqlPaths()).map((path) => readFile(projectFile('src', path), 'utf8')));
  return texts.flatMap((text) =>
    [...text.matchAll(/create or replace function (?:\w+\.)?(\w+)\([^$;]*?\bas \$\$([\s\S]*?)\$\$/g)].map(([, name, body]) => ({
      name: name!,
      body: body!,
    })),
  );
}

/** The rooms that have SQL files. */
export const sqlRooms = async (): Promise<string[]> => [...new Set((await sqlPaths()).map(roomOf))];

async function readSqlFiles(rooms: string[]): Promise<SqlFile[]> {
  const paths = (await sqlPaths()).filter((path) => rooms.includes(roomOf(path)));
  return Promise.all(
    paths.map(async (path) => {
      const text = await readFile(projectFile('src', path), 'utf8');
      return {
        name: path.replace('/sql/', '/').slice(0, -'.sql'.length),
        path,
        text,
        checksum: createHash('sha256').update(text).digest('hex'),
      };
    }),
  );
}

const sqlPaths = async (): Promise<string[]> =>
  (await readdir(projectFile('src'), { recursive: true })).filter((path) => path.endsWith('.sql')).sort();

const roomOf = (path: string): string => path.split('/')[0]!;
