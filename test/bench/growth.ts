import { readDashboard } from '../../src/admin/dashboard/dashboard.store.js';
import { audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { balancesOf } from '../../src/usage/balance.store.js';
import { dailyUsageOf } from '../../src/usage/daily-usage.store.js';
import { LedgerStore } from '../../src/usage/ledger.store.js';
import { sumUsage } from '../../src/usage/sum-usage.js';
import { Bench } from './bench.js';
import { cpuOf } from './cost.js';
import { cpuSeconds } from './cpu.js';
import { type Aim, type Figure, grouped, inTurns, median, percentile, type Row } from './figures.js';
import { appendReads, historyDays, largeAccount, openBalances, type Stocked } from './filled-ledger.js';
import { metered } from './load.js';
import { firstPage } from './metered-reads.js';
import { spendAndPage } from './our-statements.js';
import { auditedAgainstCheckpoint, costOfAudit, signerOf } from './proofs.js';
import { countyFips, publishStock, recordCount } from './stock.js';

const [manyEntries, fewEntries, newEntries] = [3_000_000, 150_000, 100_000];
/** The job that sums usage runs every five minutes. */
const betweenSumsDays = 5 / (24 * 60);
const within: Aim = { atMost: 1.3 };

/** Measures which costs grow with the stored data: everything with few entries and records, then with many. */
export const growth: Row = {
  name: 'growth',
  title: `${grouped(manyEntries)} records and ledger entries, beside ${grouped(fewEntries)} entries and ${grouped(2 * recordCount)} records`,
  measure: async ({ seconds }) => {
    const small = await measureWith(fewEntries, 1, seconds);
    const large = await measureWith(manyEntries, Math.round(manyEntries / recordCount) - 1, seconds);
    return large.flatMap(({ ratio, ...figure }, n) => {
      const before = small[n]!.value;
      const beside: Figure[] =
        ratio && before && figure.value ? [{ name: '   against the small one', value: figure.value / before, unit: '×', aim: within }] : [];
      return [
        { ...figure, name: `${figure.name} (small: ${before === null ? '–' : before < 10 ? before.toFixed(1) : grouped(before)})` },
        ...beside,
      ];
    });
  },
};

type Measured = Figure & { ratio?: true };

/** In a database of its own. */
async function measureWith(entries: number, copies: number, seconds: number): Promise<Measured[]> {
  const bench = await Bench.open(seconds);
  const { pool } = bench.database;
  const startedAt = performance.now();
  const tokens = await openBalances(pool);
  const { rows } = await pool.query<{ fips: string }>(`select fips from county where state = 'TX' order by fips limit $1`, [copies]);
  const others: Stocked[] = [];
  for (const { fips } of rows) others.push({ releaseId: await publishStock(pool, fips), fips });
  await pool.query('vacuum analyze parcel');
  const rare = others[0]!;
  const stock: [Stocked, Stocked] = [{ releaseId: bench.releaseId, fips: countyFips }, rare];
  await appendReads(pool, entries, { from: historyDays, to: betweenSumsDays }, stock);
  await sumUsage(pool);
  // What a question finds at most.
  await appendReads(pool, (entries / historyDays) * betweenSumsDays, { from: betweenSumsDays, to: 0 }, stock);
  console.error(`${grouped(entries)} entries and ${copies + 1} counties in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  const measured = [...(await readsOf(bench, tokens)), ...(await questionsOf(bench, rare.fips)), ...(await auditsOf(bench, stock))];
  await bench.close();
  return measured;
}

const readsOf = (bench: Bench, tokens: string[]): Promise<Measured[]> =>
  bench.withService(async (server) => {
    const read = (path: string) => () =>
      bench.serve(
        server,
        tokens.map((token) => metered(path, token)),
      );
    const [reads, pages] = await inTurns(read(firstPage), read('/api/parcels?limit=100'));
    return [
      { name: 'metered read of 25, CPU of both', value: median(cpuOf(reads)), unit: 'µs', ratio: true },
      { name: 'page of 100 of all counties, CPU of both', value: median(cpuOf(pages)), unit: 'µs', ratio: true },
    ];
  });

/** Measures Postgres' CPU for the questions of operators and customers. */
async function questionsOf(bench: Bench, rareFips: string): Promise<Measured[]> {
  const { pool } = bench.database;
  const ledger = new LedgerStore(pool);
  const filter = { accountIds: [largeAccount], id: null };
  const day = (ago: number) => new Date(Date.now() - ago * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  const span = { from: day(historyDays - 1), to: day(0), timeZone: 'America/New_York' };
  const questions: [string, () => Promise<unknown>][] = [
    ['dashboard of 90 days', () => readDashboard(pool, historyDays)],
    ['the large customer’s balances', () => balancesOf(pool, largeAccount, 10, 0)],
    ['its usage by day, 90 days', () => dailyUsageOf(pool, largeAccount, { ...span, by: 'day' })],
    ['its usage by token, 90 days', () => dailyUsageOf(pool, largeAccount, { ...span, by: 'token' })],
    ['its ledger, a page', () => ledger.page(filter, null, 50)],
    ['its ledger, a page of a rare county', () => ledger.page({ ...filter, countyFips: rareFips }, null, 50)],
    ['its ledger, a page of a county that it never read', () => ledger.page({ ...filter, countyFips: '00000' }, null, 50)],
  ];
  const measured: Measured[] = [];
  for (const [name, ask] of questions)
    measured.push({ name: `${name}, CPU of Postgres`, value: await cpuMsOf(bench, ask), unit: 'ms', ratio: true });
  return measured;
}

/** Postgres counts its time in hundredths of a second, so it is asked again and again. */
async function cpuMsOf({ postgresPid, seconds }: Bench, ask: () => Promise<unknown>): Promise<number> {
  await ask();
  const before = cpuSeconds(postgresPid);
  const endsAt = performance.now() + seconds * 1000;
  let count = 0;
  do {
    await ask();
    count++;
  } while (performance.now() < endsAt);
  return ((cpuSeconds(postgresPid) - before) * 1000) / count;
}

async function auditsOf(bench: Bench, stock: [Stocked, Stocked]): Promise<Measured[]> {
  const full = await costOfAudit(bench, auditChecks);
  await appendReads(bench.database.pool, newEntries, { from: 0.0001, to: 0 }, stock);
  const since = await costOfAudit(bench, auditChecks, { since: new Date(Date.now() - 60 * 60 * 1000) });
  await signerOf(bench).sign();
  const outside = await auditedAgainstCheckpoint(bench);
  const buffers = await buffersDuringAudit(bench);
  return [
    { name: 'full audit, CPU a million entries', value: (full.cpu * 1e9) / full.checked, unit: 'ms', ratio: true },
    { name: `audit --new after ${grouped(newEntries)} entries, CPU`, value: since.cpu * 1000, unit: 'ms', aim: { atMost: 1000 } },
    { name: 'audit --checkpoint: CPU more, with all records', value: outside.cpu * 1000, unit: 'ms' },
    { name: 'buffers of a spend of a hot balance', value: buffers.first, unit: '' },
    { name: 'buffers of it while a full audit runs, 99 % of them', value: buffers.most, unit: '' },
  ];
}

/** Spends from one balance until an audit of everything ends: what it does not let Postgres vacuum, each spend has to pass. */
async function buffersDuringAudit({ database: { pool }, releaseId }: Bench): Promise<{ first: number; most: number }> {
  const spend = `explain (analyze, buffers, format json) ${spendAndPage(releaseId, '1')[0]!.replace(':token', '1')}`;
  const db = await pool.connect();
  const buffersOfOne = async () => {
    const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(spend);
    const { Plan } = rows[0]!['QUERY PLAN'][0];
    return Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!;
  };
  // The first one on a connection reads the catalogue.
  await buffersOfOne();
  const first = await buffersOfOne();
  let isRunning = true;
  const audited = audit(pool, auditChecks).finally(() => {
    isRunning = false;
  });
  const all: number[] = [];
  while (isRunning) all.push(await buffersOfOne());
  await audited;
  db.release();
  // Nobody delivers these.
  await pool.query('truncate undelivered_read');
  const sorted = all.toSorted((a, b) => a - b);
  return { first, most: percentile(sorted, 0.99) };
}
