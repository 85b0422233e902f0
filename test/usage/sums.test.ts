import { randomInt } from 'node:crypto';
import type { Pool } from 'pg';
import { DashboardStore } from '../../src/admin/dashboard/dashboard.store.js';
import { audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { typeParsers } from '../../src/database/database.js';
import type { UsageGrouping } from '../../src/usage/daily-usage.js';
import { DailyUsageStore } from '../../src/usage/daily-usage.store.js';
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

/** Reads of one or more counties or of nothing, replays, and reversals on a later day, by random tokens at random times. */
async function liveFor(steps: number): Promise<void> {
  for (let i = 0; i < steps; i++) {
    await db.moveClock(`${randomInt(6 * 3600)}.${randomInt(1e6)} seconds`);
    const { balanceId, tokenId } = tokens[randomInt(tokens.length)]!;
    const segments = releases.filter(() => randomInt(2) === 0).flatMap((id) => [id, 1 + randomInt(10), 1 + randomInt(20)]);
    const [spent] = await db.query<{ entry_id: string; decision: string }>(
      `select entry_id, decision from spend(array[$1::uuid], array[$2::uuid], array[(select version from coverage_version)], array[$3], array[$4],
                                          array[$5], array[$6], array[sha256('same')], true)`,
      [
        balanceId,
        tokenId,
        `{${segments}}`,
        segments.length === 3 ? counties[releases.indexOf(segments[0]!)] : null,
        `request ${i}`,
        randomInt(5) === 0 ? `key ${randomInt(3)}` : null,
      ],
    );
    if (spent!.decision === 'granted' && segments.length > 0) reads.push({ balanceId, id: spent!.entry_id });
    if (reads.length > 3 && randomInt(6) === 0) {
      const [read] = reads.splice(randomInt(reads.length), 1);
      await db.query(`select reverse_entry($1, $2, 'not delivered', null)`, [read!.balanceId, read!.id]);
    }
  }
  await db.query('delete from undelivered_read');
}

/** Everything that is made of the sums. */
async function allUsage(): Promise<unknown> {
  const [{ from, to }] = (await db.query<{ from: string; to: string }>(
    `select (min(at)::date - 2)::text as from, (max(at)::date + 2)::text as to from ledger_entry`,
  )) as [{ from: string; to: string }];
  const daily = new DailyUsageStore(pool);
  const usage: Record<string, unknown> = { dashboard: (await new DashboardStore(pool).read(60)).days };
  for (const account of accounts) {
    for (const timeZone of zones) {
      for (const by of groupings) usage[`${account} ${timeZone} ${by}`] = await daily.ofAccount(account, { from, to, timeZone, by });
    }
  }
  return usage;
}

const withoutSums = async () => {
  const both = ['usage_hour', 'usage_day'];
  await db.query(
    `begin; ${both.map((table) => `create temporary table kept_${table} as table ${table}; delete from ${table};`).join('')} commit`,
  );
  const usage = await allUsage();
  await db.query(both.map((table) => `insert into ${table} select * from kept_${table}; drop table kept_${table};`).join(''));
  return usage;
};

describe('the sums of days that have ended', () => {
  it('give what the entries give: random reads, reversals and grants, in any time zone, by day, token or county', async () => {
    await liveFor(80);
    const live = await allUsage();
    const days = await Promise.all([sumUsage(pool), sumUsage(pool)]);
    expect(days[0]! + days[1]!).toBeGreaterThan(5);
    expect(await allUsage()).toEqual(live);
    await liveFor(40);
    expect(await allUsage()).toEqual(await withoutSums());
    expect(await sumUsage(pool)).toBeGreaterThan(2);
    expect(await allUsage()).toEqual(await withoutSums());
    expect((await audit(pool, auditChecks)).filter(({ firstBreak }) => firstBreak !== null)).toEqual([]);
  });

  it('are those of all entries, and of no day that has not ended an hour ago', async () => {
    const [row] = await db.query(`
      select (select sum(reads) from usage_hour) = count(*) filter (where kind = 'read') as reads,
             (select sum(records) from usage_hour) = sum(records) filter (where kind in ('read', 'reversal')) as records,
             (select sum(overage_cents) from usage_hour) = sum(overage_cents) as cents,
             (select sum(grants) from usage_hour) = count(*) filter (where kind = 'grant') as grants,
             (select max(hour) < date_trunc('day', service_now() - interval '1 hour', 'UTC') from usage_hour) as "isOver"
        from ledger_entry where at < date_trunc('day', service_now() - interval '1 hour', 'UTC')`);
    expect(row).toEqual({ reads: true, records: true, cents: true, grants: true, isOver: true });
    expect(await sumUsage(pool)).toBe(0);
  });
});
