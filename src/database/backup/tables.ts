import type { Client } from 'pg';

export interface BackupTable {
  /** As SQL names it, quoted where needed; with its schema, unless that is the one that the service's own tables are in. */
  name: string;
  /** Without generated ones. */
  columns: string[];
  bytes: number;
}

export interface SequenceState {
  name: string;
  /** A string, because it may exceed 2^53. */
  lastValue: string;
}

/** Those of better-auth and of the job library. The service's own tables are in the current schema. */
export const otherSchemas = ['auth', 'graphile_worker'];

/** They say what this version has made of the tables; a restore makes them anew. */
const schemaVersions = ['migrations', 'sql_file', 'graphile_worker.migrations'];

const nameOf = `case when n.nspname = current_schema() then format('%I', c.relname) else format('%I.%I', n.nspname, c.relname) end`;
const ours = `
  (n.nspname = current_schema() or n.nspname = any ($1))
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

/** Tables whose rows outlast a crash of Postgres. The others are uploads, and reads that are on their way to a caller. */
export async function tablesOf(db: Client): Promise<BackupTable[]> {
  const { rows } = await db.query<BackupTable>(
    `select ${nameOf} as name, pg_table_size(c.oid)::float8 as bytes,
            (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p' and ${ours}
      order by name`,
    [otherSchemas],
  );
  return rows.filter(({ name }) => !schemaVersions.includes(name));
}

/** Sequences are outside of transactions, so read them after the snapshot began: then they are never behind the rows. */
export async function sequencesOf(db: Client): Promise<SequenceState[]> {
  const { rows } = await db.query<SequenceState>(
    `with sequence as materialized (
       select c.oid, ${nameOf} as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'S' and ${ours}
     )
     select name, pg_sequence_last_value(oid)::text as "lastValue" from sequence where pg_sequence_last_value(oid) is not null order by name`,
    [otherSchemas],
  );
  return rows;
}

export const columnsOf = (db: Client, { columns }: Pick<BackupTable, 'columns'>): string =>
  columns.map((column) => db.escapeIdentifier(column)).join(', ');
