import { randomInt, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { readDashboard } from '../../src/admin/dashboard/dashboard.store.js';
import { audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { typeParsers } from '../../src/database/database.js';
import type { UsageGrouping } from '../../src/usage/daily-usage.js';
import { dailyUsageOf } from '../../src/usage/daily-usage.store.js';
import { sumUsage } from '../../src/usage/sum-usage.js';
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

/** The usage that pages show from the sums. */
async function shownUsage(): Promise<unknown> {
  const span = await spanOfEntries();
  const days = (await readDashboard(pool, 60)).days.filter(({ reads, records }) => reads !== 0 || records !== 0);
  const usage: Record<string, unknown> = {
    days: days.map(({ date, reads, records, activeTokens }) => ({ date, reads, records, activeTokens })),
  };
  for (const account of accounts) {
    for (const timeZone of zones) {
      for (const by of groupings) usage[`${account} ${timeZone} ${by}`] = await dailyUsageOf(pool, account, { ...span, timeZone, by });
    }
  }
  return usage;
}

async function spanOfEntries(): Promise<{ from: string; to: string }> {
  const [span] = await db.query<{ from: string; to: string }>(
    `select (min(at)::date - 2)::text as from, (max(at)::date + 2)::text as to from ledger_entry`,
  );
  return span!;
}

/** The same, counted record by record: the included ones of a read come first. */
async function usageOfEntries(): Promise<unknown> {
  const totals = `count(distinct e.id) filter (where e.kind = 'read')::integer as reads, coalesce(sum(r.sign), 0)::integer as records`;
  const overage = `coalesce(sum(r.sign) filter (where r.number > abs(e.records) - abs(e.overage_records)), 0)::integer as "overageRecords"`;
  const records = `
    from ledger_entry e
    join credit_balance b on b.id = e.balance_id
    left join ledger_entry o on o.balance_id = e.balance_id and o.id = e.reverses
    left join lateral (
      select case e.kind when 'read' then 1 else -1 end as sign, p.county_fips, row_number() over (order by i) as number
        from generate_series(3, cardinality(coalesce(o.segments, e.segments)), 3) i
        join parcel_release p on p.id = (coalesce(o.segments, e.segments))[i - 2]
       cross join generate_series(1, (coalesce(o.segments, e.segments))[i])
    ) r on true
    left join api_token t on t.id = e.token_id
    left join county c on c.fips = coalesce(r.county_fips, e.county_fips)
   where e.kind in ('read', 'reversal')`;
  const usage: Record<string, unknown> = {
    days: await db.query(
      `select (e.at at time zone 'UTC')::date::text as date, ${totals},
              count(distinct e.token_id) filter (where e.kind = 'read')::integer as "activeTokens" ${records} group by 1 order by 1`,
    ),
  };
  const keys: Record<UsageGrouping, [key: string, label: string, order: string]> = {
    day: [`''`, `''`, '1'],
    token: ['t.id', 't.name', '1, min(t.issued_at), 2'],
    county: [`coalesce(c.fips, '')`, `coalesce(c.name || ', ' || c.state, 'No county')`, '1, 2'],
  };
  for (const account of accounts) {
    for (const timeZone of zones) {
      for (const by of groupings) {
        const [key, label, order] = keys[by];
        usage[`${account} ${timeZone} ${by}`] = await db.query(
          `select (e.at at time zone $2)::date::text as date, ${key} as key, ${label} as label, ${totals}, ${overage}
             ${records} and b.account_id = $1 group by 1, 2, 3 order by ${order}`,
          [account, timeZone],
        );
      }
    }
  }
  return usage;
}

const expectSumsOfEntries = async () => expect(await shownUsage()).toEqual(await usageOfEntries());

const brokenOfAudit = async () => (await audit(pool, auditChecks)).filter(({ firstBreak }) => firstBreak !== null);

describe('the sums of usage', () => {
  it('equal what the entries add up to after random reads, reversals and grants, in any time zone, by day, token or county', async () => {
    await liveFor(80);
    const sums = await Promise.all([sumUsage(pool), sumUsage(pool)]);
    expect(sums[0]! + sums[1]!).toBe(await db.value('select count(*)::integer from ledger_entry'));
    await expectSumsOfEntries();
    await liveFor(40);
    await expectSumsOfEntries();
    await Promise.all([liveFor(40), sumUsage(pool, { atOnce: 3 }), sumUsage(pool, { atOnce: 7 })]);
    await expectSumsOfEntries();
    expect(await sumUsage(pool)).toBe(0);
    expect(await brokenOfAudit()).toEqual([]);
  });

  it('are brought up to date before a customer sees them, for that customer alone', async () => {
    await readOne();
    await readOne(db, tokens[2]);
    await dailyUsageOf(pool, 'ada', { ...(await spanOfEntries()), timeZone: 'UTC', by: 'day' });
    expect(await sumUsage(pool)).toBe(1);
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
    expect(await sumUsage(pool)).toBe(1);
    await expectSumsOfEntries();
  });

  it('contain reads that are earlier than summed ones because a clock was set back', async () => {
    await db.moveClock('-3 days');
    await readOne();
    await sumUsage(pool);
    await db.moveClock('3 days');
    await expectSumsOfEntries();
    expect(await brokenOfAudit()).toEqual([]);
  });

  it('contain an entry in all of them or in none if summing fails', async () => {
    await readOne();
    await db.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$;
      create trigger refuse before insert or update on hourly_usage execute function refuse()`);
    await expect(sumUsage(pool)).rejects.toThrow('the disk is full');
    await db.query('drop trigger refuse on hourly_usage');
    expect(await sumUsage(pool)).toBe(1);
    await expectSumsOfEntries();
  });

  it('spare a query all entries that they contain', async () => {
    const span = { ...(await spanOfEntries()), timeZone: 'America/New_York', by: 'token' } as const;
    const ask = async () => [await dailyUsageOf(pool, 'ada', span), (await readDashboard(pool, 60)).days];
    const usage = await ask();
    await db.query('create table kept as table ledger_entry; alter table ledger_entry disable trigger user; delete from ledger_entry');
    expect(await ask()).toEqual(usage);
    await db.query('insert into ledger_entry table kept; alter table ledger_entry enable trigger user');
  });
});
