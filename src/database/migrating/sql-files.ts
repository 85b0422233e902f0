import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Client } from 'pg';
import { projectFile } from '../../core/project-files.js';

/**
 * Applies those SQL files of the rooms whose text has changed: functions and triggers. Runs under the migration lock, in one transaction.
 * @param isAsked whether to apply a file, by its path below `src`
 * @param haveTablesChanged then all are applied
 * @returns the names of the applied files, such as `ledger/spending`
 */
export async function applySqlFiles(db: Client, isAsked: (path: string) => boolean, haveTablesChanged: boolean): Promise<string[]> {
  await db.query(`
    create table if not exists sql_file (
      name       text        not null primary key,
      checksum   text        not null,
      applied_at timestamptz not null default clock_timestamp()
    )`);
  const files = await sqlFiles();
  const names: string[] = [];
  await db.query('begin');
  try {
    // Names that this version lacks go, so that an older one that has them and starts again applies their text anew.
    await db.query('delete from sql_file where name <> all ($1)', [files.map(({ name }) => name)]);
    const { rows } = await db.query<{ name: string; checksum: string }>('select name, checksum from sql_file');
    const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
    // A function may be created before one that it calls.
    await db.query('set local check_function_bodies = off');
    for (const { path, name, text } of files) {
      const checksum = createHash('sha256').update(text).digest('hex');
      if (!isAsked(path) || (!haveTablesChanged && applied.get(name) === checksum)) continue;
      await db.query(text).catch((cause: Error) => {
        throw new Error(`src/${path}: ${cause.message}`, { cause });
      });
      await db.query(
        `insert into sql_file (name, checksum) values ($1, $2)
         on conflict (name) do update set checksum = excluded.checksum, applied_at = excluded.applied_at`,
        [name, checksum],
      );
      names.push(name);
    }
    await db.query('commit');
  } catch (error) {
    await db.query('rollback');
    throw error;
  }
  return names;
}

/** The text of each function of this version. Postgres would keep a single expression (`return …`) in another form. */
export async function functionBodies(): Promise<{ name: string; body: string }[]> {
  const pattern = /create or replace function (?:\w+\.)?(\w+)\([^$;]*?\bas \$\$([\s\S]*?)\$\$/g;
  return (await sqlFiles()).flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name, body]) => ({ name: name!, body: body! })));
}

const creations: [kind: string, pattern: RegExp][] = [
  ['table', /create (?:unlogged )?table (?:auth\.)?"?(\w+)\b(?!\$)/g],
  ['constraint', /(?<!create )constraint (\w+)\s+(?:check|unique|references|primary|foreign|exclude)/g],
  ['index', /create unique index (\w+)/g],
  ['trigger', /create (?:or replace |constraint )?trigger (\w+)/g],
];

/** The names of what this version's migrations and SQL files create. */
export async function createdNames(): Promise<{ kind: string; name: string }[]> {
  const migrations = (await readdir(projectFile('migrations'))).map((file) => readFile(projectFile('migrations', file), 'utf8'));
  const text = [...(await Promise.all(migrations)), ...(await sqlFiles()).map((file) => file.text)].join('\n').replace(/--.*/g, '');
  return creations.flatMap(([kind, pattern]) => [...text.matchAll(pattern)].map(([, name]) => ({ kind, name: name! })));
}

/** @property name its room and name, without what is the same in all paths */
async function sqlFiles(): Promise<{ path: string; name: string; text: string }[]> {
  const paths = (await readdir(projectFile('src'), { recursive: true })).filter((path) => path.endsWith('.sql')).sort();
  const nameOf = (path: string) => path.replace('/sql/', '/').slice(0, -'.sql'.length);
  return Promise.all(paths.map(async (path) => ({ path, name: nameOf(path), text: await readFile(projectFile('src', path), 'utf8') })));
}
