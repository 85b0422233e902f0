import { audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { compareBooks } from '../../src/billing/reconcile/compare-with-stripe.js';
import { createLog } from '../../src/core/log.js';
import { openDatabase } from '../../src/database/database.js';
import { PaidService } from '../harness/paid-service.js';
import { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';

/** Counts by hand what one customer read in each period of a year, and so what each invoice must say. */
class Accountant {
  private readonly periods: number[] = [];

  openPeriod(): void {
    this.periods.push(0);
  }

  count(records: number): void {
    this.periods[this.periods.length - 1]! += records;
  }

  /** Overage records of each period. */
  get overage(): number[] {
    return this.periods.map((records) => Math.max(0, records - 4000));
  }

  /** The plan's price for each period, in advance, and each period's overage, at its end. */
  get cents(): number {
    return this.periods.length * 5900 + this.overage.reduce((sum, records) => sum + records * 5, 0);
  }
}

describe('a year of one customer', () => {
  let service: PaidService;
  let person: Person;
  const books = new Accountant();

  beforeAll(async () => {
    service = await PaidService.open();
    await service.setClock(new Date('2027-01-31T10:00:00Z'));
    await publishRecords(service.db, '25017', 12_000);
    const url = await service.startServer();
    person = await Person.signUp(url);
  });

  const at = (moment: string) => service.setClock(new Date(moment));

  /** Reads in requests of up to 1000, and counts. */
  const read = async (token: string, records: number) => {
    for (let left = records; left > 0; left -= 1000) {
      const answer = await person.read(token, Math.min(left, 1000));
      expect(answer).toMatchObject({ status: 200, records: Math.min(left, 1000) });
      books.count(answer.records);
    }
  };

  const state = async (token: string) => {
    const answer = await person.read(token, 1);
    if (answer.status === 200) books.count(1);
    return answer.error ?? 'active';
  };

  const subscription = async () => (await person.subscription())!;

  /** Ends a period: its overage goes on the draft, the draft's hour passes, its events arrive. */
  const renewAt = async (periodEnd: string, firstThing: () => Promise<unknown> = async () => {}) => {
    await at(periodEnd);
    books.openPeriod();
    await firstThing();
    await service.billWhatHasEnded();
    await at(new Date(Date.parse(periodEnd) + 2 * 3600_000).toISOString());
    await service.stripe.deliverAll();
  };

  const bills = () =>
    service.stripe.world.invoices
      .all()
      .filter(({ status }) => status === 'paid')
      .map(({ total }) => total);

  let token: string;
  let second: string;
  let subscriptionId: string;

  test('the trial gives 50 records and stops', async () => {
    const trial = await person.trialToken();
    expect(await person.read(trial, 60)).toMatchObject({ status: 200, records: 50 });
    expect(await person.read(trial, 1)).toMatchObject({ status: 402, error: 'exhausted' });
    await expect(person.issuePaidToken()).rejects.toThrow('subscription_required');
  });

  test('a paid checkout opens the subscription, even before its event arrives', async () => {
    const session = await person.startCheckout();
    subscriptionId = service.stripe.completeCheckout(session).id;
    books.openPeriod();
    token = await person.issuePaidToken();
    await service.stripe.deliverAll();
    expect(token).toMatch(/^pk_paid_/);
    expect(await subscription()).toMatchObject({ status: 'active', isLive: true, creditsRemaining: 4000 });
  });

  test('reads beyond 4,000 cost 5 cents each', async () => {
    await read(token, 4000);
    await read(token, 1234);
    expect(await subscription()).toMatchObject({ creditsRemaining: 0, overageUsd: '61.70' });
  });

  test('the first read after the period’s end opens the next one before any event', async () => {
    await renewAt('2027-02-28T10:00:00Z', () => read(token, 100));
    expect(await subscription()).toMatchObject({ creditsRemaining: 3900, overageUsd: '0.00' });
    expect(bills()).toEqual([5900, 5900 + 1234 * 5]);
  });

  test('the paid invoice opens the next period if nobody reads first; unused records expire', async () => {
    await renewAt('2027-03-31T10:00:00Z');
    expect(await subscription()).toMatchObject({ creditsRemaining: 4000 });
    await read(token, 4003);
  });

  test('a reversed read is not billed', async () => {
    const answer = await person.read(token, 500);
    expect(answer).toMatchObject({ status: 200, records: 500 });
    const [entry] = await service.db.query<{ id: string }>(
      `select id from ledger_entry where kind = 'read' order by at desc, sequence desc limit 1`,
    );
    await service.db.query(`select reverse_entry(balance_id, id, 'never delivered', null) from ledger_entry where id = $1`, [entry!.id]);
    await renewAt('2027-04-30T10:00:00Z');
    expect(bills().at(-1)).toBe(5900 + 3 * 5);
  });

  test('a cap is exact to the record, and reading goes on once it is lifted', async () => {
    await person.setOverageCap(10);
    await read(token, 3995);
    const last = await person.read(token, 100);
    expect(last).toMatchObject({ status: 200, records: 15 });
    books.count(15);
    expect(await person.read(token, 1)).toMatchObject({ status: 402, error: 'exhausted' });
    await person.setOverageCap(null);
    await read(token, 5);
    expect(await subscription()).toMatchObject({ overageUsd: '0.75' });
  });

  test('a failed renewal keeps reading while Stripe retries, and stops when it gives up', async () => {
    service.stripe.setCard(subscriptionId, false);
    await renewAt('2027-05-31T10:00:00Z');
    expect((await subscription()).status).toBe('past_due');
    await read(token, 4050);
    await at('2027-06-10T10:00:00Z');
    await service.stripe.deliverAll();
    expect(await state(token)).toBe('active');
    await at('2027-06-16T10:00:00Z');
    await service.stripe.deliverAll();
    expect((await subscription()).status).toBe('unpaid');
    expect(await state(token)).toBe('expired');
    await expect(person.issuePaidToken()).rejects.toThrow('subscription_required');
    await expect(person.startCheckout()).rejects.toThrow('conflict');
  });

  test('paying the open invoices restores the same tokens with their credits', async () => {
    service.stripe.payOpenInvoices(subscriptionId);
    await service.stripe.deliverAll();
    expect(await state(token)).toBe('active');
    expect(await subscription()).toMatchObject({ status: 'active', overageUsd: '2.60' });
    await renewAt('2027-06-30T10:00:00Z');
    expect(bills().at(-1)).toBe(5900 + 52 * 5);
  });

  test('a second token uses the same balance; revoking the first does not interrupt it', async () => {
    second = await person.issuePaidToken('next');
    await read(token, 1000);
    await read(second, 1000);
    expect(await subscription()).toMatchObject({ creditsRemaining: 2000 });
    const { tokens } = await person.ask<{ tokens: { id: string; name: string }[] }>('{ tokens { id name } }');
    await person.ask('mutation ($id: ID!) { revokeToken(id: $id) { id } }', { id: tokens.find(({ name }) => name === 'main')!.id });
    expect(await state(token)).toBe('revoked');
    await read(second, 1);
  });

  test('months without reads cost the plan’s price', async () => {
    for (const end of ['2027-07-31T10:00:00Z', '2027-08-31T10:00:00Z', '2027-09-30T10:00:00Z']) await renewAt(end);
    expect(bills().slice(-3)).toEqual([5900, 5900, 5900]);
    expect(await subscription()).toMatchObject({ creditsRemaining: 4000 });
  });

  test('a canceled plan reads to its end and no longer, and its last overage is billed', async () => {
    service.stripe.cancelAtPeriodEnd(subscriptionId);
    await service.stripe.deliverAll();
    await read(second, 4020);
    await at('2027-10-31T09:59:59Z');
    await read(second, 1);
    await at('2027-10-31T10:00:00Z');
    expect(await state(second)).toBe('expired');
    await service.stripe.deliverAll();
    await service.billWhatHasEnded();
    expect(await subscription()).toMatchObject({ status: 'canceled', isLive: false });
    expect(bills().at(-1)).toBe(21 * 5);
  });

  test('subscribing again starts anew; old tokens stay expired', async () => {
    await at('2027-11-05T12:00:00Z');
    subscriptionId = service.stripe.completeCheckout(await person.startCheckout()).id;
    await service.stripe.deliverAll();
    books.openPeriod();
    const third = await person.issuePaidToken('third');
    expect(await state(token)).toBe('revoked');
    expect(await state(second)).toBe('expired');
    await read(third, 4007);
    await renewAt('2027-12-05T12:00:00Z', () => read(third, 10));
    await renewAt('2028-01-05T12:00:00Z');
  });

  test('the year’s invoices equal the count by hand, to the cent', () => {
    expect(bills().reduce((sum, cents) => sum + cents, 0)).toBe(books.cents);
  });

  test('ledger, items and Stripe’s invoices agree', async () => {
    const overage = books.overage.reduce((sum, records) => sum + records, 0);
    const [ledger] = await service.db.query(
      `select sum(overage_records)::integer as records, sum(overage_cents)::integer as cents from ledger_entry`,
    );
    expect(ledger).toEqual({ records: overage, cents: overage * 5 });
    const [items] = await service.db.query(`select sum(records)::integer as records from overage_item where state = 'billed'`);
    expect(items).toEqual({ records: overage });
    const log = createLog(service.config);
    const database = await openDatabase(service.config, log);
    const holds = { firstBreak: null, checked: 1 };
    expect(await compareBooks(service.config, database.controlPool)).toMatchObject([holds, holds, { firstBreak: null }, holds]);
    expect((await audit(database.pool, auditChecks)).filter(({ firstBreak }) => firstBreak)).toEqual([]);
    await database.close();
  });

  test('each period was granted once', async () => {
    const grants = await service.db.query<{ count: number }>(
      `select count(*)::integer as count from ledger_entry e join credit_balance b on b.id = e.balance_id
        where b.plan = 'paid' and e.kind = 'grant' group by e.balance_id order by min(e.at)`,
    );
    expect(grants.map(({ count }) => count)).toEqual([9, 3]);
  });
});
