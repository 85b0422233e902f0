import { readFileSync } from 'node:fs';
import { DataSource, type QueryRunner } from 'typeorm';
import { createLog } from '../../src/core/log.js';
import { projectFile } from '../../src/core/project-files.js';
import { migrate, migrationClasses } from '../../src/database/migrating/migrate.js';
import { entities } from '../../src/server/entities.js';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase } from '../harness/database.js';

const log = createLog({ logLevel: 'silent' });

const open = async (url: string): Promise<DataSource> => {
  const dataSource = new DataSource({ type: 'postgres', url, entities, migrations: await migrationClasses() });
  await dataSource.initialize();
  closeAtEnd(() => dataSource.destroy());
  return dataSource;
};

let url: string;
let dataSource: DataSource;
beforeAll(async () => {
  ({ url } = await createTestDatabase('template0'));
  dataSource = await open(url);
});

/** Every relation, column, constraint, index, function and trigger that is ours. */
const inventory = async (): Promise<string[]> => {
  const rows: { thing: string }[] = await dataSource.query(`
    with ours as (select oid from pg_namespace where nspname in ('public', 'auth'))
    select 'column ' || c.oid::regclass || '.' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull as thing
      from pg_attribute a join pg_class c on c.oid = attrelid
     where relkind in ('r', 'p', 'v', 'm') and relnamespace in (select oid from ours) and attnum > 0 and not attisdropped
    union all select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
     where connamespace in (select oid from ours)
    union all select pg_get_indexdef(indexrelid) from pg_index join pg_class on oid = indexrelid where relnamespace in (select oid from ours)
    union all select pg_get_functiondef(oid) from pg_proc where pronamespace in (select oid from ours)
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
     order by 1`);
  return rows.map(({ thing }) => thing).filter((thing) => !/\bmigrations(_|\b)/.test(thing));
};

/**
 * What an entity can say of its table, a line for each part of it. What it cannot say is for the migrations alone: indexes of some rows,
 * of expressions or in another order, functions and triggers.
 */
const shapeOf = async (db: DataSource | QueryRunner): Promise<string[]> => {
  const rows: { part: string }[] = await db.query(`
    with ours as (
      select c.oid from pg_class c join pg_namespace n on n.oid = relnamespace
       where nspname in ('public', 'auth') and relkind in ('r', 'p') and not relispartition and relname <> 'migrations'
    )
    select format('table %s', oid::regclass) as part from ours
    union all
    select format('column %s.%I %s %s default %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod),
                  case when attnotnull then 'not null' else 'nullable' end, pg_get_expr(adbin, adrelid), attidentity)
      from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
     where attrelid in (select oid from ours) and attnum > 0 and not attisdropped
    union all
    select format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
      from pg_constraint where conrelid in (select oid from ours) and contype not in ('n', 't')
    union all
    select format('index %s %s', indexrelid::regclass, pg_get_indexdef(indexrelid)) from pg_index
     where indrelid in (select oid from ours) and indpred is null and indexprs is null and 0 = all(indoption)
       and not exists (select from pg_constraint where conindid = indexrelid)
     order by 1`);
  return rows.map(({ part }) => part);
};

describe('the migrations', () => {
  let first: string[];

  it('build the database up from nothing, in the order of their files', async () => {
    const classes = await migrationClasses();
    const applied = await migrate(url, log);
    expect(applied.filter((name) => !name.includes('/'))).toEqual(classes.map((migration) => migration.name));
    first = await inventory();
    expect(first.length).toBeGreaterThan(100);
  });

  it('have nothing left to do the second time', async () => {
    expect(await migrate(url, log)).toEqual([]);
    expect(await inventory()).toEqual(first);
  });

  it('refuse a database of before 1.0.0, say what to do, and leave it as it is', async () => {
    const old = await createTestDatabase('template0');
    await old.query(`create table migrations (id serial, timestamp bigint, name text); alter table migrations owner to service`);
    await old.query(`insert into migrations (timestamp, name) values (1790000000001, 'Counties1790000000001')`);
    await expect(migrate(old.url, log)).rejects.toThrow(/before 1\.0\.0.+ Use an empty database/);
    expect(await old.query(`select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`)).toEqual([
      { relname: 'migrations' },
    ]);
  });

  it('leave no table behind when all of them are taken back', async () => {
    for (const _ of await migrationClasses()) await dataSource.undoLastMigration();
    const left = await inventory();
    expect(left.filter((thing) => !/^CREATE OR REPLACE FUNCTION|\bsql_file\b/.test(thing))).toEqual([]);
  });

  it('build the same again', async () => {
    await migrate(url, log);
    expect(await inventory()).toEqual(first);
  });
});

describe('the entities', () => {
  let migrated: DataSource;
  /** What the tables would be, were they made of the entities: Postgres itself then writes both sides in the same words. */
  let declared: string[];
  beforeAll(async () => {
    migrated = await open((await createTestDatabase()).url);
    const fromEntities = await open((await createTestDatabase('template0')).url);
    await fromEntities.query(readFileSync(projectFile('src/database/sql/service_now.sql'), 'utf8'));
    await fromEntities.query('create schema auth');
    await fromEntities.synchronize();
    declared = await shapeOf(fromEntities);
  });

  it('and the migrated database agree in tables, columns, types, nullability, defaults, keys, constraints and plain indexes', async () => {
    expect(declared.filter((thing) => thing.startsWith('table')).length).toBeGreaterThan(20);
    expect(await shapeOf(migrated)).toEqual(declared);
  });

  it.each([
    ['another type', 'alter table api_token alter name type varchar(80)', 'column api_token.name'],
    ['another length', 'alter table load_job alter county_fips type char(6)', 'column load_job.county_fips'],
    ['another nullability', 'alter table auth.session alter "ipAddress" set not null', 'column auth.session."ipAddress"'],
    ['another default', 'alter table overage_item alter attempts set default 1', 'column overage_item.attempts'],
    ['a column more', 'alter table load_job add note text', 'column load_job.note'],
    ['a column less', 'alter table billing_charge drop is_disputed', 'column billing_charge.is_disputed'],
    ['a table more', 'create table surplus ()', 'table surplus'],
    ['another primary key', 'alter table parcel drop constraint parcel_pkey', 'constraint parcel parcel_pkey'],
    ['a unique constraint less', 'alter table auth."user" drop constraint user_email_unique', 'constraint auth."user" user_email_unique'],
    [
      'another foreign key',
      'alter table subscription drop constraint subscription_balance_fkey',
      'constraint subscription subscription_balance_fkey',
    ],
    [
      'a check that says something else',
      `alter table stripe_event drop constraint stripe_event_state_known,
         add constraint stripe_event_state_known check (state in ('stored', 'handled'))`,
      'constraint stripe_event stripe_event_state_known',
    ],
    ['an index less', 'drop index credit_balance_account', 'index credit_balance_account'],
  ])('would be caught at %s', async (_, change, named) => {
    const db = migrated.createQueryRunner();
    await db.startTransaction();
    try {
      await db.query(change);
      const changed = await shapeOf(db);
      const differing = [...changed.filter((thing) => !declared.includes(thing)), ...declared.filter((thing) => !changed.includes(thing))];
      expect(differing).not.toEqual([]);
      expect(differing.filter((thing) => !thing.startsWith(named))).toEqual([]);
    } finally {
      await db.rollbackTransaction();
      await db.release();
    }
  });
});
