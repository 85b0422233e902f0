import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Client } from 'pg';
import { createLog } from '../../src/core/log.js';
import { projectFile } from '../../src/core/project-files.js';
import { acquireEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { migrate } from '../../src/database/migrating/migrate.js';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { onlyWith } from '../harness/only-with.js';
import { binariesWithJit, startWithJit } from '../harness/postgres-with-jit.js';
import { publishRecords } from '../harness/records.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { Books } from '../ledger/books.js';

const log = createLog({ logLevel: 'silent' });
const middlesex = '25017';
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

  it('are left alone as long as they say what they said', async () => {
    expect(await migrate(db.url, log)).toEqual([]);
  });

  it('are applied again when their text has changed, each by itself', async () => {
    const body = await bodyOf('entry_sequence');
    // As an older release left it.
    await db.query('create or replace function entry_sequence(id uuid) returns integer language sql immutable return 0');
    await db.query(`update sql_file set checksum = 'another' where name = 'ledger/entries/entry_sequence'`);
    expect(await migrate(db.url, log)).toEqual(['ledger/entries/entry_sequence']);
    expect(await bodyOf('entry_sequence')).toBe(body);
    expect(await migrate(db.url, log)).toEqual([]);
  });

  it('are applied again under the name of their new folder, and only that name is kept', async () => {
    await db.query(`update sql_file set name = 'elsewhere/entry_sequence' where name = 'ledger/entries/entry_sequence'`);
    expect(await migrate(db.url, log)).toEqual(['ledger/entries/entry_sequence']);
    const names = await db.query<{ name: string }>(`select name from sql_file where name like '%/entry_sequence'`);
    expect(names).toEqual([{ name: 'ledger/entries/entry_sequence' }]);
  });
});

describe('functions with plan settings of their own', () => {
  it('are not compiled by Postgres, whatever the session says: their estimates are beyond any limit', async () => {
    const settings = await db.query<{ name: string; settings: string[] }>(
      `select proname as name, proconfig as settings from pg_proc where 'enable_seqscan=off' = any(proconfig) order by 1`,
    );
    expect(settings.map(({ name }) => name)).toEqual(['claim_undelivered', 'spend_for_receipt']);
    for (const each of settings) expect(each.settings).toContain('jit=off');
  });

  withJit.test('spend, confirm and sweep without compiling on a Postgres with jit=on', async () => {
    const dataDir = await temporaryFolder();
    await startWithJit(dataDir, log);
    const postgres = await acquireEmbeddedPostgres(dataDir, log);
    closeAtEnd(() => postgres.release());
    await migrate(postgres.url, log);
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    closeAtEnd(() => client.end());
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
    await client.query('alter function spend_for_receipt reset jit');
    expect(await compiled()).toBeGreaterThan(0);
  });
});

// While servers are restarted one by one, those of the release before work with the functions of this one. So a function that a
// server calls keeps its arguments and results; see src/ledger/README.md.
describe('functions of earlier releases', () => {
  const file = projectFile('test/released-signatures.txt');

  /** The functions that there are, as `name(argument types) returns types`. */
  async function signatures(): Promise<{ name: string; signature: string }[]> {
    return db.query<{ name: string; signature: string }>(`
      select proname as name,
             format('%s(%s) returns %s%s', p.oid::regproc,
                    (select string_agg(format_type(type, null), ', ' order by position) from unnest(proargtypes) with ordinality a (type, position)),
                    case when proretset then 'setof ' end,
                    coalesce((select '(' || string_agg(concat_ws(' ', name, format_type(type, null)), ', ' order by position) || ')'
                                from unnest(proallargtypes, proargmodes, proargnames) with ordinality a (type, mode, name, position)
                               where mode in ('o', 'b', 't')),
                             format_type(prorettype, null))) as signature
        from pg_proc p join pg_namespace n on n.oid = pronamespace
       where nspname in ('public', 'auth') and prorettype <> 'trigger'::regtype
       order by 2`);
  }

  /** Those that servers call by name. */
  async function called(): Promise<string[]> {
    const source = projectFile('src');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const texts = files.map((name) => readFileSync(`${source}/${name}`, 'utf8')).join('\n');
    return (await signatures()).filter(({ name }) => new RegExp(`\\b${name}\\(`).test(texts)).map(({ signature }) => signature);
  }

  const released = (): string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean);

  it('are all still there, with the same arguments and results', async () => {
    const present = (await signatures()).map(({ signature }) => signature);
    // With each release: RELEASE=1 npm run jest -- test/sql-files
    if (process.env.RELEASE) writeFileSync(file, `${[...new Set([...released(), ...(await called())])].toSorted().join('\n')}\n`);
    expect(released().length).toBeGreaterThan(10);
    expect(released().filter((signature) => !present.includes(signature))).toEqual([]);
  });

  it('serve a server of the first release: its reads, retries, reversals and checks, in its own words', async () => {
    const release = await publishRecords(db, middlesex, 10);
    const [token] = await db.query<{ balance_id: string; token_id: string }>(`
      select b.id as balance_id, add_token(b.id, 'ann', 'first', sha256('ann'), service_now()) as token_id
        from open_balance('ann', 'paid', 5, 5, service_now(), service_now(), service_now() + interval '1 month', null, null, false) b (id)`);
    const { balance_id: balanceId, token_id: tokenId } = token!;
    const [{ version } = { version: '' }] = await db.query<{ version: string }>('select version from coverage_version');
    const spend = async (requestId: string, records: number, key: string | null = null) => {
      const [row] = await db.query<{ decision: string; entry_id: string; records: number; remaining: number; overage_records: number }>(
        `select n, decision, plan, entry_id, records, segments, remaining, overage_records, overage_unit_cents
           from spend($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[], $9)`,
        [[balanceId], [tokenId], [version], [`{${release},1,${records}}`], [middlesex], [requestId], [key], [Buffer.from('same')], false],
      );
      return row!;
    };
    const granted = await spend('one', 4, 'key');
    expect(granted).toMatchObject({ decision: 'granted', records: 4, remaining: 1, overage_records: 0, overage_unit_cents: 5 });
    expect(await spend('two', 4, 'key')).toMatchObject({ decision: 'replayed', records: 4, segments: [release, 1, 4] });
    expect(await spend('three', 3)).toMatchObject({ decision: 'granted', remaining: 0, overage_records: 2 });
    const [undone] = await db.query('select reverse_request($1, $2, $3) as reversal', [balanceId, 'three', 'not delivered']);
    expect(undone).toEqual({ reversal: expect.any(String) });
    const [kept] = await db.query('select reverse_entry($1, $2, $3, null) as reversal', [balanceId, granted.entry_id, 'not delivered']);
    expect(kept).toEqual({ reversal: null });
    expect(await db.query('select check_token($1, $2) as rejection', [balanceId, tokenId])).toEqual([{ rejection: null }]);
    expect(await db.query(`select reverse_abandoned('10 seconds'::interval, 50) as count`)).toEqual([{ count: 0 }]);
  });
});
