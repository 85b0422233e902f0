import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '../../src/core/log.js';
import { createCluster, unprivilegedLaunch } from '../../src/database/embedded/cluster.js';
import { acquireEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { startPostgres } from '../../src/database/embedded/start-postgres.js';
import { migrate } from '../../src/database/migrating/migrate.js';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase, openClient, type TestDatabase } from '../harness/database.js';
import { onlyWith } from '../harness/only-with.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { Books } from '../ledger/books.js';

const installed = '/usr/lib/postgresql';

/** The programs of the newest installed Postgres with LLVM, as operators have it. The embedded one was built without. */
const binariesWithJit: string | undefined = (existsSync(installed) ? readdirSync(installed) : [])
  .toSorted((a, b) => Number(b) - Number(a))
  .map((version) => join(installed, version))
  .filter((folder) => existsSync(join(folder, 'lib/llvmjit.so')) && existsSync(join(folder, 'bin/initdb')))
  .map((folder) => join(folder, 'bin'))[0];

/** Starts it with its default `jit=on`. The next that opens the embedded database of this folder takes it over, as after a crash. */
async function startWithJit(dataDir: string): Promise<void> {
  const launch = await unprivilegedLaunch(dataDir, binariesWithJit);
  await createCluster(dataDir, launch, log);
  await startPostgres(dataDir, { ...launch, command: (binary, flags) => launch.command(binary, [...flags, '-c', 'jit=on']) });
}

const log = createLog({ logLevel: 'silent' });
const withJit = onlyWith(binariesWithJit !== undefined, 'no Postgres with LLVM in /usr/lib/postgresql');

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});

describe('SQL files', () => {
  const bodyOf = async (name: string) => {
    const [found] = await db.query<{ body: string }>(`select pg_get_functiondef($1::regproc) as body`, [name]);
    return found!.body;
  };

  it('are applied again when their text has changed, each by itself', async () => {
    const body = await bodyOf('entry_sequence');
    // As an older version left it.
    await db.query('create or replace function entry_sequence(id uuid) returns integer language sql immutable return 0');
    await db.query(`update sql_file set checksum = 'another' where name = 'ledger/entries'`);
    expect(await migrate(db.url, log)).toEqual(['ledger/entries']);
    expect(await bodyOf('entry_sequence')).toBe(body);
    expect(await migrate(db.url, log)).toEqual([]);
  });

  it('are applied again under the name of their new folder, and only that name is kept', async () => {
    await db.query(`update sql_file set name = 'elsewhere/entries' where name = 'ledger/entries'`);
    expect(await migrate(db.url, log)).toEqual(['ledger/entries']);
    const names = await db.query<{ name: string }>(`select name from sql_file where name like '%/entries'`);
    expect(names).toEqual([{ name: 'ledger/entries' }]);
  });
});

describe('functions with plan settings of their own', () => {
  it('are not compiled by Postgres, whatever the session says', async () => {
    const settings = await db.query<{ name: string; settings: string[] }>(
      `select proname as name, proconfig as settings from pg_proc where 'enable_seqscan=off' = any(proconfig) order by 1`,
    );
    expect(settings.map(({ name }) => name)).toEqual(['claim_undelivered', 'spend']);
    for (const each of settings) expect(each.settings).toContain('jit=off');
  });

  withJit.test('spend, confirm and sweep without compiling on a Postgres with jit=on', async () => {
    const dataDir = await temporaryFolder();
    await startWithJit(dataDir);
    const postgres = await acquireEmbeddedPostgres(dataDir, log);
    closeAtEnd(() => postgres.release());
    await migrate(postgres.url, log);
    const client = await openClient(postgres);
    const plans: string[] = [];
    client.on('notice', ({ message }) => plans.push(message!));
    await client.query(`
      load 'auto_explain';
      set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on; set auto_explain.log_analyze = on;
      set auto_explain.log_level = notice`);
    const book = Books.of({ query: async (sql: string, values?: unknown[]) => (await client.query(sql, values)).rows } as never);
    const token = await book.paid();
    const compiled = async () => {
      plans.length = 0;
      await book.spend(token, 5, { requestId: `request ${randomUUID()}` });
      await client.query(`select claim_undelivered(array[balance_id], array[request_id]) from undelivered_read`);
      await client.query(`select reverse_abandoned('10 seconds', 50)`);
      expect(plans.length).toBeGreaterThan(5);
      return plans.filter((plan) => /^JIT:/m.test(plan)).length;
    };
    expect(await compiled()).toBe(0);
    await client.query('alter function spend reset jit');
    expect(await compiled()).toBeGreaterThan(0);
  });
});
