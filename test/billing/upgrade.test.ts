import { readFileSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { createLog } from '../../src/core/log.js';
import { projectFile } from '../../src/core/project-files.js';
import { migrate, migrationClasses } from '../../src/database/migrating/migrate.js';
import type { TestDatabase } from '../harness/database.js';
import { auditDifferences } from '../harness/differences.js';
import { openFairLives } from '../harness/fair-lives.js';
import type { Life } from '../harness/life.js';
import type { Lives } from '../harness/lives.js';
import type { PaidService } from '../harness/paid-service.js';

const [minuteMs, hourMs, dayMs] = [60_000, 3600_000, 24 * 3600_000];
const startsAt = new Date('2026-01-31T10:00:00Z');

interface MeterEvent {
  identifier: string;
  balanceId: string;
  customer: string;
  periodStart: Date;
  records: number;
  countedAt: Date;
  state: 'sent' | 'waiting';
  isUncertain: boolean;
}

/** Reports overage as the previous release did: the sum of the entries since the last report, to a meter with a price on each subscription. */
class OldReporter {
  readonly events: MeterEvent[] = [];

  constructor(
    private readonly service: PaidService,
    private readonly db: TestDatabase,
  ) {}

  /** @param how whether it arrived with an answer, arrived without one, or got lost without one */
  async report(life: Life, how: 'sent' | 'unheard' | 'lost' = 'sent'): Promise<void> {
    const rows = await this.db.query<{ balanceId: string; periodStart: Date; records: number }>(
      `select e.balance_id as "balanceId", e.period_start as "periodStart", sum(e.overage_records)::integer as records
         from ledger_entry e join subscription s using (balance_id) where s.id = $1 group by 1, 2 order by 2`,
      [life.subscriptionId],
    );
    const { usage, meters, clock } = this.service.stripe.world;
    for (const { balanceId, periodStart, records: all } of rows) {
      const isSame = (event: MeterEvent) => event.balanceId === balanceId && event.periodStart.getTime() === periodStart.getTime();
      const records = all - this.events.filter(isSame).reduce((sum, event) => sum + event.records, 0);
      if (records === 0) continue;
      const identifier = `${balanceId}:${this.events.length}`;
      const countedAt = new Date(clock.now() * 1000);
      const state = how === 'sent' ? 'sent' : 'waiting';
      const { customerId: customer } = life;
      this.events.push({ identifier, balanceId, customer, periodStart, records, countedAt, state, isUncertain: how !== 'sent' });
      if (how === 'lost') continue;
      const event = { event_name: meters.all()[0]!.event_name, identifier, timestamp: clock.now() } as never;
      usage.set(identifier, { event, customer, value: records, receivedAt: clock.now(), isCancelled: false });
    }
  }

  /** Leaves the previous release's tables; its servers are stopped from here on. */
  async leave(): Promise<void> {
    await this.db.query(readFileSync(projectFile('test/billing/release-11.sql'), 'utf8'));
    for (const { identifier, balanceId, customer, periodStart, records, countedAt, state, isUncertain } of this.events) {
      await this.db.query(
        `insert into meter_event (identifier, balance_id, stripe_customer_id, period_start, entries, records, counted_at, state, attempts,
                                  uncertain_since, sent_at)
         values ($1, $2, $3, $4, 1, $5, $6::timestamptz, $7, 1, case when $8 then $6::timestamptz end, case when not $8 then $6::timestamptz end)`,
        [identifier, balanceId, customer, periodStart, records, countedAt, state, isUncertain],
      );
    }
    await this.db.query(`update subscription set follow_at = ends_at + interval '2 hours' where status = 'canceled'`);
  }
}

describe('an upgrade from the metered release, after a year of subscriptions', () => {
  let service: PaidService;
  let lives: Lives;
  let reporter: OldReporter;
  const all: Record<string, Life> = {};
  const names = ['settled', 'running', 'unreported', 'unheard', 'lost', 'below zero', 'ended', 'taken back late'];

  beforeAll(async () => {
    ({ service, lives } = await openFairLives(startsAt));
    const meter = await lives.stripe.billing.meters.create({
      display_name: 'API Records overage',
      event_name: 'api_records_overage',
      default_aggregation: { formula: 'sum' },
    });
    const metered = await lives.stripe.prices.create({
      product: 'api_records',
      lookup_key: 'api_records_overage',
      currency: 'usd',
      unit_amount: 5,
      recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
    });
    reporter = new OldReporter(service, service.db);
    const { prices } = service.stripe.world;
    for (const name of names) {
      const life = await lives.begin(name);
      service.stripe.replacePrices(life.subscriptionId, [prices.all()[0]!, prices.get(metered.id)]);
      all[name] = life;
    }
    for (let month = 1; month <= 12; month++) {
      const start = month === 1 ? startsAt : await all.settled!.periodEnd(month - 1);
      await lives.passTimeUntil(new Date(start.getTime() + 2 * dayMs));
      for (const [i, name] of names.entries()) {
        await lives.follow(all[name]!);
        await all[name]!.read(4000);
        if ((month + i) % 3 > 0) await all[name]!.read(10 * month + i);
        if ((month + i) % 4 === 0) await all[name]!.takeBack(0.9);
        await reporter.report(all[name]!);
      }
      if (month < 12) await lives.passTimeUntil(new Date((await all.settled!.periodEnd(month)).getTime() + 2 * hourMs));
    }
    await all.running!.read(300);
    await reporter.report(all.running!);
    await all.unreported!.read(70);
    for (const name of ['unheard', 'lost'] as const) {
      await all[name]!.read(55);
      await reporter.report(all[name]!, name);
    }
    await all['below zero']!.takeBack(0.99);
    await all['taken back late']!.takeBack(0.5);
    for (const name of ['below zero', 'taken back late']) await reporter.report(all[name]!);
    await all.ended!.read(90);
    await reporter.report(all.ended!);
    await lives.endAtOnce(all.ended!);
  }, 600_000);

  /** Final lines of either kind, less credits. */
  const billed = (customer: string) => {
    const lines = service.stripe
      .billsOf(customer)
      .filter(({ status }) => status !== 'draft')
      .flatMap((bill) => bill.lines.data);
    const ours = lines.filter(({ metadata, pricing }) => metadata.overage_item || Number(pricing!.unit_amount_decimal) === 5);
    const given = service.stripe.world.balanceTransactions.all().filter((moved) => moved.customer === customer);
    return [...ours, ...given].reduce((sum, { amount }) => sum + amount, 0) / 5;
  };

  test('bills once what was not metered, and gives back what no invoice had', async () => {
    const { db, config } = service;
    const migrations = await migrationClasses();
    const dataSource = new DataSource({ type: 'postgres', url: db.url, migrations });
    await dataSource.initialize();
    const since = migrations.findIndex(({ name }) => name.startsWith('OverageItems'));
    for (const _ of migrations.slice(since)) await dataSource.undoLastMigration();
    await dataSource.destroy();
    await reporter.leave();
    await migrate(db.url, createLog(config));
    const due = await db.query<{ account: string; records: number }>(
      `select s.account_id as account, d.records from subscription s cross join lateral overage_due(s.stripe_customer_id, true) d
        where not exists (select from overage_item i where i.state = 'trying' and i.balance_id = s.balance_id) order by 1`,
    );
    expect(due).toContainEqual({ account: 'ended', records: 90 });
    expect(due.filter(({ account, records }) => account === 'running' && records > 0)).toEqual([]);

    await lives.passTimeUntil(new Date(startsAt.getTime() + 350 * dayMs));
    for (let step = 0; step < 40; step++) {
      await lives.passTimeUntil(new Date(startsAt.getTime() + 350 * dayMs + step * dayMs + 10 * minuteMs));
      for (const name of names) await lives.follow(all[name]!);
      await lives.work();
    }
    await lives.leave();
    const ledger = await db.query<{ account: string; records: number }>(
      `select s.account_id as account, sum(e.overage_records)::integer as records from ledger_entry e join subscription s using (balance_id)
        group by 1 order by 1`,
    );
    expect(ledger.map(({ account }) => ({ account, records: billed(all[account]!.customerId) }))).toEqual(ledger);
    expect(await auditDifferences(config)).toEqual([]);
    // A server of the previous release has nothing left to report.
    expect(await db.query(`select to_regclass('meter_event') as events, to_regclass('overage_report') as outbox`)).toEqual([
      { events: null, outbox: null },
    ]);
  }, 600_000);
});
