import type { Pool, PoolClient, QueryConfig } from 'pg';
import { readSlice } from '../../src/audit/entries/entry-slice.js';
import { typeParsers } from '../../src/database/database.js';
import { BoughtLibrary } from '../../src/parcels/bought/bought-library.js';
import { LedgerStore } from '../../src/usage/ledger.store.js';
import { sumUsageTask } from '../../src/usage/sum-usage.js';
import { appendReads, largeAccount, openBalances } from '../bench/filled-ledger.js';
import { createTestDatabase, openPool, type TestDatabase } from '../harness/database.js';
import { publishRecords } from '../harness/records.js';

const [main, rare] = [
  { releaseId: 1, fips: '25017' },
  { releaseId: 2, fips: '25025' },
];
const everything = { accountIds: [largeAccount], id: null };

let db: TestDatabase;
let pool: Pool;
let ledger: LedgerStore;

beforeAll(async () => {
  db = await createTestDatabase();
  pool = openPool(db, { types: typeParsers });
  for (const { fips } of [main!, rare!]) await publishRecords(db, fips, 25);
  await openBalances(pool);
  await appendReads(pool, 90_000, { from: 1, to: 0 }, [main!, rare!]);
  // From here on a statement fails that has more to sort than fits into memory.
  await db.query(`do $$ begin execute format('alter database %I set temp_file_limit = 0', current_database()); end $$`);
  ledger = new LedgerStore(openPool(db, { types: typeParsers }));
}, 300_000);

describe('the ledger of a customer with many more entries than the others', () => {
  test('is searched by county page by page, finding exactly the entries that name it, without sorting all of it', async () => {
    const filter = { ...everything, countyFips: rare!.fips };
    const ids: string[] = [];
    for (let before: string | null = null; ; ) {
      const { entries, older } = await ledger.page(filter, before, 7);
      ids.push(...entries.map(({ id }) => id));
      if (older === null) break;
      before = older;
    }
    const rows = await db.query<{ id: string }>(
      `select e.id from ledger_entry e join credit_balance b on b.id = e.balance_id
        where e.county_fips = $1 and b.account_id = $2 order by e.sequence desc`,
      [rare!.fips, largeAccount],
    );
    expect(ids).toEqual(rows.map(({ id }) => id));
    await expect(ledger.count(filter)).resolves.toBe(30);
  });

  test('is searched in the same way by token and county', async () => {
    const { entries } = await ledger.page(everything, null, 1);
    const { tokenId } = entries[0]!;
    await expect(ledger.page({ ...everything, tokenId, countyFips: '01001' }, null, 50)).resolves.toMatchObject({
      entries: [],
      older: null,
    });
  });

  test('is counted', async () => {
    // A grant, and reads.
    await expect(ledger.count(everything)).resolves.toBe(30_001);
  });

  test('is not read to show the records that it bought', async () => {
    await db.moveClock('7 minutes');
    await sumUsageTask(pool).run({}, { id: '0', signal: AbortSignal.any([]) });
    let buffers = 0;
    const explaining = Object.create(pool, {
      query: {
        value: async (statement: string, values: unknown[]) => {
          const { rows } = await pool.query(`explain (analyze, buffers, format json) ${statement}`, values);
          buffers += rows[0]['QUERY PLAN'][0].Plan['Shared Hit Blocks'];
          return pool.query(statement, values);
        },
      },
    }) as Pool;
    const { total, reads, recentRecords } = await new BoughtLibrary(explaining).page(largeAccount, { limit: 50 });
    expect([total, reads.length, recentRecords]).toEqual([50, 50, 0]);
    expect(buffers).toBeLessThan(250);
  });

  test('is audited in slices that read no entry beyond their end', async () => {
    const [balance] = await db.query<{ balanceId: string }>('select id as "balanceId" from credit_balance where account_id = $1', [
      largeAccount,
    ]);
    const client = await openPool(db).connect();
    let plan = '';
    const explaining = Object.create(client, {
      query: {
        value: async (statement: string | QueryConfig) => {
          if (typeof statement === 'string') return client.query(statement);
          const { rows } = await client.query({ ...statement, text: `explain (analyze, format json) ${statement.text}` });
          plan = JSON.stringify(rows);
          return { rows: [{ rows: 0, checked: [], broken: [], hash: null }] };
        },
      },
    }) as PoolClient;
    await readSlice(explaining, { places: [{ ...balance!, sequence: 1 }], after: null, limit: 1000, isRemembered: false });
    client.release();
    const scanned = [...plan.matchAll(/"Relation Name":"ledger_entry".*?"Actual Rows":([\d.]+)/g)].map(([, rows]) => Number(rows));
    expect(Math.max(...scanned)).toBe(1000);
  });
});
