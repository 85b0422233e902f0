import { DataSource } from 'typeorm';
import { createLog } from '../../src/core/log.js';
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

  it.each([
    ['before 1.0.0', ['Counties1790000000001'], /before 1\.0\.0.+: set DATABASE_URL or DATA_DIR to an empty one/],
    ['a newer version', ['THE FIRST', 'Tomorrow1999999999999'], /newer version .+ Tomorrow1999999999999: start that version/],
  ])('refuse a database of %s, so that no server starts on it, say what to do, and leave it as it is', async (_, names, advice) => {
    const [first] = await migrationClasses();
    const other = await createTestDatabase('template0');
    await other.query(`create table migrations (id serial, timestamp bigint, name text); alter table migrations owner to service`);
    await other.query('insert into migrations (timestamp, name) select 1790000000001, unnest($1::text[])', [
      names.map((name) => (name === 'THE FIRST' ? first!.name : name)),
    ]);
    await expect(migrate(other.url, log)).rejects.toThrow(advice);
    expect(await other.query(`select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`)).toEqual([
      { relname: 'migrations' },
    ]);
  });

  it('leave no table behind when all of them are reverted', async () => {
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
  /** The statements by which TypeORM would change the tables. Constraints, indexes and defaults are for the migrations alone. */
  const differences = async (db: DataSource): Promise<string[]> => {
    const { upQueries } = await db.driver.createSchemaBuilder().log();
    return upQueries
      .map(({ query }) => query)
      .filter((query) => !/^DROP INDEX| (DROP|ADD) CONSTRAINT (?!.* PRIMARY KEY )| (SET|DROP) DEFAULT/.test(query));
  };

  it('have the columns of the migrated tables: names, types, nullability and keys', async () => {
    expect(await differences(await open((await createTestDatabase()).url))).toEqual([]);
  });

  it.each([
    ['type', 'alter column name type char(200)'],
    ['nullability', 'alter column parcel_count drop not null'],
    ['name', 'rename column area_share to share'],
    ['key', 'drop constraint county_pkey cascade'],
  ])('would be caught at another %s', async (_, change) => {
    const db = await createTestDatabase();
    await db.query(`drop trigger county_describes_its_release on county; alter table county ${change}`);
    expect(await differences(await open(db.url))).toEqual(expect.arrayContaining([expect.stringContaining('"county"')]));
  });
});
