import { randomInt, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { DashboardStore } from '../../src/admin/dashboard/dashboard.store.js';
import { audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { typeParsers } from '../../src/database/database.js';
import type { UsageGrouping } from '../../src/usage/daily-usage.js';
import { DailyUsageStore } from '../../src/usage/daily-usage.store.js';
import { LedgerStore } from '../../src/usage/ledger.store.js';
import type { LedgerFilter } from '../../src/usage/ledger-search.js';
import { sumUsage } from '../../src/usage/sums/sum-usage.js';
import { createTestDatabase, openPool, type TestDatabase } from '../harness/database.js';
import { publishRecords } from '../harness/records.js';

const counties = ['25017', '25025', '01001'];
const zones = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe'];
const groupings: UsageGrouping[] = ['day', 'token', 'county'];
const accounts = ['ada', 'bob'];

let db: TestDatabase;
let pool: Pool;
let releases: number[];
let tokens: { account: string; balanceId: string; tokenId: string }[];
const reads: { balanceId: string; id: string }[] = [];

beforeAll(async () => {
  db = await createTestDatabase();
  pool = openPool(db, { types: typeParsers });
  await db.stopClock();
  releases = [];
  for (const county of counties) releases.push(await publishRecords(db, county, 40));
  tokens = await db.query(`
    select a.account, b.id as "balanceId", t.token as "tokenId"
      from unnest(array['ada', 'bob', 'bob']) with ordinality a (account, n)
     cross join lateral open_subscription_balance(a.account, 300, 5, service_now(), service_now(), service_now() + interval '1 month', null) b (id)
     cross join lateral (
       select add_token(b.id, a.account, k.name, sha256(convert_to(a.n || k.name, 'UTF8')), service_now()) as token from unnest(array['one', 'two']) k (name)
     ) t`);
});

const spend = (clock: Pick<TestDatabase, 'query'>, values: unknown[]) =>
  clock.query<{ entry_id: string; decision: string }>(
    `select entry_id, decision from spend(array[$1::uuid], array[$2::uuid], array[(select version from coverage_version)], array[$3], array[$4],
                                          array[$5], array[$6], array[sha256('same')], true)`,
    values,
  );

/** Reads of one or more counties or of nothing, replays, and reversals on a later day, by random tokens at random times. */
async function liveFor(steps: number): Promise<void> {
  for (let i = 0; i < steps; i++) {
    await db.moveClock(`${randomInt(6 * 3600)}.${randomInt(1e6)} seconds`);
    const { balanceId, tokenId } = tokens[randomInt(tokens.length)]!;
    const segments = releases.filter(() => randomInt(2) === 0).flatMap((id) => [id, 1 + randomInt(10), 1 + randomInt(20)]);
    const [spent] = await spend(db, [
      balanceId,
      tokenId,
      `{${segments}}`,
      segments.length === 3 ? counties[releases.indexOf(segments[0]!)] : null,
      `request ${i}`,
      randomInt(5) === 0 ? `key ${randomInt(3)}` : null,
    ]);
    if (spent!.decision === 'granted' && segments.length > 0) reads.push({ balanceId, id: spent!.entry_id });
    if (reads.length > 3 && randomInt(6) === 0) {
      const [read] = reads.splice(randomInt(reads.length), 1);
      await db.query(`select reverse_entry($1, $2, 'not delivered', null)`, [read!.balanceId, read!.id]);
    }
  }
  await db.query('delete from undelivered_read');
}

/** Reads one record of the first county. */
async function readOne(client: Pick<TestDatabase, 'query'> = db, { balanceId, tokenId } = tokens[0]!): Promise<void> {
  const [spent] = await spend(client, [balanceId, tokenId, `{${releases[0]},1,1}`, counties[0], randomUUID(), null]);
  expect(spent!.decision).toBe('granted');
  await client.query('delete from undelivered_read');
}

/** All entries that name a county, by pages of three, and their number. */
async function entriesOf(filter: LedgerFilter): Promise<{ ids: string[]; total: number | null }> {
  const ledger = new LedgerStore(pool);
  const ids: string[] = [];
  for (let before: string | null = null; ; ) {
    const { entries, older } = await ledger.page(filter, before, 3);
    ids.push(...entries.map(({ id }) => id));
    if (older === null) return { ids, total: await ledger.count(filter) };
    before = older;
  }
}

/** Everything that is made of the sums. */
async function allUsage(): Promise<unknown> {
  const [{ from, to, middle, end }] = (await db.query<{ from: string; to: string; middle: Date; end: Date }>(
    `select (min(at)::date - 2)::text as from, (max(at)::date + 2)::text as to, min(at) + (max(at) - min(at)) / 3 as middle,
            max(at) - (max(at) - min(at)) / 3 as end from ledger_entry`,
  )) as [{ from: string; to: string; middle: Date; end: Date }];
  const daily = new DailyUsageStore(pool);
  const usage: Record<string, unknown> = { dashboard: (await new DashboardStore(pool).read(60)).days };
  for (const account of accounts) {
    for (const timeZone of zones) {
      for (const by of groupings) usage[`${account} ${timeZone} ${by}`] = await daily.ofAccount(account, { from, to, timeZone, by });
    }
  }
  const everything = { accountIds: accounts, id: null };
  for (const countyFips of [...counties, '00000']) {
    const filters: LedgerFilter[] = [
      everything,
      { ...everything, from: middle, to: end },
      { ...everything, tokenId: tokens[2]!.tokenId },
      { ...everything, kind: 'read' },
      { ...everything, kind: 'reversal' },
    ];
    for (const [n, filter] of filters.entries()) usage[`county ${countyFips} ${n}`] = await entriesOf({ ...filter, countyFips });
  }
  return usage;
}

const withoutSums = async () => {
  const sums = ['summed_balance', 'hourly_usage', 'daily_usage', 'county_entries'];
  await db.query(
    `begin; ${sums.map((table) => `create temporary table kept_${table} as table ${table}; delete from ${table};`).join('')} commit`,
  );
  const usage = await allUsage();
  await db.query(sums.map((table) => `insert into ${table} select * from kept_${table}; drop table kept_${table};`).join(''));
  return usage;
};

/** Reads by hour, of the entries themselves. */
const readsByHour = () =>
  db.query(
    `select balance_id, date_trunc('hour', at, 'UTC') as hour, count(*)::integer as reads from ledger_entry where kind = 'read' group by 1, 2 order by 1, 2`,
  );
const summedByHour = () =>
  db.query(`select balance_id, hour, sum(reads)::integer as reads from hourly_usage where reads > 0 group by 1, 2 order by 1, 2`);

const brokenOfAudit = async () => (await audit(pool, auditChecks)).filter(({ firstBreak }) => firstBreak !== null);

describe('the sums of usage', () => {
  it('give what the entries give: random reads, reversals and grants, in any time zone, by day, token or county', async () => {
    await liveFor(80);
    const live = await allUsage();
    const sums = await Promise.all([sumUsage(pool), sumUsage(pool)]);
    const [{ entries }] = (await db.query('select count(*)::integer as entries from ledger_entry')) as [{ entries: number }];
    expect(sums[0]! + sums[1]!).toBe(entries);
    expect(await allUsage()).toEqual(live);
    await liveFor(40);
    expect(await allUsage()).toEqual(await withoutSums());
    await Promise.all([liveFor(40), sumUsage(pool, { atOnce: 3 }), sumUsage(pool, { atOnce: 7 })]);
    expect(await allUsage()).toEqual(await withoutSums());
    await sumUsage(pool);
    expect(await sumUsage(pool)).toBe(0);
    expect(await allUsage()).toEqual(await withoutSums());
    expect(await brokenOfAudit()).toEqual([]);
  });

  it('list of a county exactly the entries that name it', async () => {
    for (const countyFips of counties) {
      const rows = await db.query<{ id: string }>(
        `select e.id from ledger_entry e join credit_balance b on b.id = e.balance_id
          where e.county_fips = $1 and b.account_id = any($2) order by e.at desc, e.sequence desc, e.balance_id desc`,
        [countyFips, accounts],
      );
      expect(rows.length).toBeGreaterThan(10);
      expect(await entriesOf({ accountIds: accounts, id: null, countyFips })).toEqual({
        ids: rows.map(({ id }) => id),
        total: rows.length,
      });
    }
  });

  it('list more entries of a county than fit into one row', async () => {
    for (let n = 0; n < 130; n++) {
      await readOne();
      if (n % 40 === 0) await sumUsage(pool);
    }
    await sumUsage(pool);
    const [row] = await db.query(
      `select max(cardinality(sequences)) as most, bool_and(sequences[1] = first_sequence) as "isFirst" from county_entries`,
    );
    expect(row).toEqual({ most: 100, isFirst: true });
    expect(await allUsage()).toEqual(await withoutSums());
  });

  it('contain a read that is committed after later reads were summed', async () => {
    const late = await openPool(db).connect();
    try {
      await late.query('begin');
      await readOne({ query: async (sql, values) => (await late.query(sql, values)).rows });
      await db.moveClock('5 hours');
      await readOne(db, tokens[2]);
      expect(await sumUsage(pool)).toBe(1);
      await late.query('commit');
    } finally {
      late.release();
    }
    expect(await allUsage()).toEqual(await withoutSums());
    expect(await sumUsage(pool)).toBe(1);
    expect(await summedByHour()).toEqual(await readsByHour());
  });

  it('contain reads whose time is earlier than that of summed ones, since a clock was set back', async () => {
    await db.moveClock('-3 days');
    await readOne();
    await sumUsage(pool);
    expect(await summedByHour()).toEqual(await readsByHour());
    await db.moveClock('3 days');
    expect(await brokenOfAudit()).toEqual([]);
  });

  it('have an entry in all of them or in none, if the job fails', async () => {
    await readOne();
    const before = await allUsage();
    await db.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$;
      create trigger refuse before insert or update on hourly_usage execute function refuse()`);
    await expect(sumUsage(pool)).rejects.toThrow('the disk is full');
    await db.query('drop trigger refuse on hourly_usage');
    expect(await allUsage()).toEqual(before);
    expect(await sumUsage(pool)).toBe(1);
    expect(await allUsage()).toEqual(before);
    expect(await summedByHour()).toEqual(await readsByHour());
  });

  it('spare a question all entries that they contain', async () => {
    const span = { from: '2020-01-01', to: '2020-12-31', timeZone: 'America/New_York', by: 'token' } as const;
    const [{ today }] = (await db.query('select service_now()::date::text as today')) as [{ today: string }];
    const [{ first }] = (await db.query("select (service_now() - interval '300 days')::date::text as first")) as [{ first: string }];
    const ask = async () => [
      await new DailyUsageStore(pool).ofAccount('ada', { ...span, from: first, to: today }),
      (await new DashboardStore(pool).read(60)).days,
      await new LedgerStore(pool).page({ accountIds: ['ada'], id: null, countyFips: '00000' }, null, 50),
      await new LedgerStore(pool).count({ accountIds: ['ada'], id: null, countyFips: counties[0]! }),
    ];
    const usage = await ask();
    await db.query('create table kept as table ledger_entry; alter table ledger_entry disable trigger user; delete from ledger_entry');
    expect(await ask()).toEqual(usage);
    await db.query('insert into ledger_entry table kept; alter table ledger_entry enable trigger user');
  });
});
