import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createLog } from '../../src/core/log.js';
import { projectFile } from '../../src/core/project-files.js';
import { migrate } from '../../src/database/migrating/migrate.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { publishRecords } from '../harness/records.js';

const log = createLog({ logLevel: 'silent' });
const middlesex = '25017';

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
    await db.query(`update sql_file set checksum = 'another' where name = 'usage/entry_sequence'`);
    expect(await migrate(db.url, log)).toEqual(['usage/entry_sequence']);
    expect(await bodyOf('entry_sequence')).toBe(body);
    expect(await migrate(db.url, log)).toEqual([]);
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
