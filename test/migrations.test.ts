import { DataSource } from 'typeorm';
import { migrate } from '../src/database/migrate.js';
import { migrationClasses } from '../src/database/migration-classes.js';
import { entities } from '../src/entities.js';
import { createLog } from '../src/log.js';
import { closeAtEnd } from './harness/closing.js';
import { createTestDatabase } from './harness/database.js';

const log = createLog({ logLevel: 'silent' });

let url: string;
let dataSource: DataSource;
beforeAll(async () => {
  ({ url } = await createTestDatabase('template0'));
  dataSource = new DataSource({ type: 'postgres', url, entities, migrations: await migrationClasses() });
  await dataSource.initialize();
  closeAtEnd(() => dataSource.destroy());
});

/** Every relation, column, constraint, index, function and trigger that is ours. */
const inventory = async (): Promise<string[]> => {
  const rows: { thing: string }[] = await dataSource.query(`
    with ours as (select oid from pg_namespace where nspname in ('public', 'auth'))
    select 'column ' || c.oid::regclass || '.' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull as thing
      from pg_attribute a join pg_class c on c.oid = attrelid
     where relkind in ('r', 'v', 'm') and relnamespace in (select oid from ours) and attnum > 0 and not attisdropped
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

  it('leave no table behind when all of them are taken back', async () => {
    for (const _ of await migrationClasses()) await dataSource.undoLastMigration();
    const left = await inventory();
    expect(left.filter((thing) => !/^CREATE OR REPLACE FUNCTION|\bsql_file\b/.test(thing))).toEqual([]);
  });

  it('build the same again', async () => {
    await migrate(url, log);
    expect(await inventory()).toEqual(first);
  });

  it('make tables in which every entity finds its columns as it declares them', async () => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    // What an entity does not mention it need not know; what it does mention must be there, and be so.
    const wishes = upQueries
      .map(({ query }) => query)
      .filter((query) => !/^(DROP INDEX|ALTER TABLE \S+ (ALTER COLUMN \S+ )?DROP)/.test(query));
    expect(wishes).toEqual([]);
  });
});
