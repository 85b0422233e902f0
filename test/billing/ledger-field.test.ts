import type Stripe from 'stripe';
import type { Life } from '../harness/life.js';
import type { PaidService } from '../harness/paid-service.js';
import { hourMs, minuteMs, Situation } from '../harness/situation.js';
import type { FaultKind } from '../stripe/faults.js';

describe('the Ledger field of an invoice', () => {
  let service: PaidService;
  let s: Situation;
  let life: Life;
  let month = 0;

  beforeAll(async () => {
    s = await Situation.withReader();
    ({ service, life } = s);
  });

  afterEach(() => service.stripe.faults.clear());

  /** Passes time until the next renewal's draft exists; nothing follows it yet. */
  const renew = async (): Promise<Stripe.Invoice> => {
    await s.passTimeUntil(new Date((await life.periodEnd(++month)).getTime() + 4 * minuteMs));
    return service.stripe.billsOf(life.customerId).at(-1)!;
  };
  const finish = async (bill: Stripe.Invoice) => {
    await s.passTimeUntil(new Date((await life.periodEnd(month)).getTime() + 3 * hourMs));
    await s.follow(life);
    await s.work();
    expect(bill.status).toBe('paid');
  };
  const head = async (subscription = life.subscriptionId): Promise<string> => {
    const [balance] = await service.db.query<{ head: string }>(
      `select concat(b.entry_count, ' ', encode(b.chain_head, 'hex')) as head
         from credit_balance b join subscription s on s.balance_id = b.id where s.id = $1`,
      [subscription],
    );
    return balance!.head;
  };
  const ledger = (value: string) => ({ name: 'Ledger', value });
  const findings = async () => (await service.differences()).join('\n');

  test("is written once on a renewal's draft, with the entries and head of its balance, whatever is read later", async () => {
    await life.read(70);
    const before = await head();
    const bill = await renew();
    await Promise.all([s.follow(life), s.follow(life)]);
    expect(bill.custom_fields).toEqual([ledger(before)]);
    await life.read(5);
    await s.follow(life);
    await s.work();
    await finish(bill);
    expect(bill.total).toBe(5900 + 70 * 5);
    expect(bill.custom_fields).toEqual([ledger(before)]);
    expect(await findings()).toBe('');
  });

  test("keeps the fields of the Stripe account's owner", async () => {
    const settings = service.stripe.world.customers.get(life.customerId).invoice_settings;
    settings.custom_fields = [{ name: 'PO', value: '17' }];
    const bill = await renew();
    const before = await head();
    await s.follow(life);
    expect(bill.custom_fields).toEqual([{ name: 'PO', value: '17' }, ledger(before)]);
    await finish(bill);
  });

  test.each([
    { owner: 'has four fields already', fields: ['a', 'b', 'c', 'd'].map((name) => ({ name, value: '1' })) },
    { owner: 'has a field of that name', fields: [ledger('general ledger 4711')] },
  ])('is left out if the owner $owner, and the invoice goes on', async ({ fields }) => {
    const settings = service.stripe.world.customers.get(life.customerId).invoice_settings;
    settings.custom_fields = fields;
    const bill = await renew();
    settings.custom_fields = null;
    await s.follow(life);
    expect(bill.custom_fields).toEqual(fields);
    await finish(bill);
    expect(await findings()).toBe('');
  });

  test.each(['failed', 'down', 'busy', 'lost', 'error'] as FaultKind[])(
    'is retried within a minute after a failure of Stripe (%s); the period is granted anyway',
    async (kind) => {
      const bill = await renew();
      service.stripe.faults.plan(kind, /POST \/v1\/invoices\/\w+$/, 2);
      await s.follow(life);
      service.stripe.faults.clear();
      const before = bill.custom_fields;
      await s.passTimeUntil(new Date((await life.periodEnd(month)).getTime() + 5 * minuteMs));
      await s.work();
      expect(bill.custom_fields).toEqual(before ?? [ledger(await head())]);
      await finish(bill);
      const granted = await service.db.query(
        `select from subscription s join credit_balance b on b.id = s.balance_id where s.id = $1 and b.period_start = s.period_start`,
        [life.subscriptionId],
      );
      expect(granted).toHaveLength(1);
    },
  );

  test('is on overage invoices, and never stops one from being collected', async () => {
    const own = () => service.stripe.billsOf(life.customerId).filter(({ metadata }) => metadata?.overage_bill);
    await life.read(4100);
    await s.endAtOnce(life);
    const before = await head();
    await s.passTimeUntil(new Date((await life.periodEnd(month)).getTime() + 4 * hourMs));
    await s.work();
    expect(own()).toMatchObject([{ status: 'paid', total: 100 * 5, custom_fields: [ledger(before)] }]);
    const [first] = own();
    life = await s.beginAgain(life);
    month = 0;
    await life.read(4100);
    await s.endAtOnce(life);
    service.stripe.faults.plan('failed', /POST \/v1\/invoices\/\w+$/, 10);
    await s.passTimeUntil(new Date((await life.periodEnd(1)).getTime() - 10 * minuteMs));
    await s.work();
    expect(own()).toMatchObject([{ id: first!.id }, { status: 'paid', total: 100 * 5, custom_fields: null }]);
    expect(await findings()).toBe('');
  });

  test('names the balance of its invoice’s own subscription where an overage invoice has the overage of two', async () => {
    const both = [await s.beginAgain(life), await s.beginAgain(life)];
    for (const one of both) await one.read(4100);
    for (const one of both) await s.endAtOnce(one);
    service.stripe.faults.clear();
    await s.passTimeUntil(new Date((await both[0]!.periodEnd(1)).getTime() - 5 * minuteMs));
    await s.work();
    const last = service.stripe.billsOf(life.customerId).at(-1)!;
    expect(last).toMatchObject({ total: 200 * 5, custom_fields: [ledger(await head(last.metadata!.overage_of))] });
    expect(await findings()).toBe('');
  });

  test('lets the comparison with Stripe name a chain that was changed or cut', async () => {
    const [bill] = service.stripe.billsOf(life.customerId).filter(({ metadata }) => metadata?.overage_bill);
    const [entries] = bill!.custom_fields![0]!.value.split(' ');
    const balance = '(select balance_id from subscription where id = $1)';
    const tamper = async (sql: string) => {
      await service.db.query('alter table ledger_entry disable trigger ledger_entry_append_only');
      await service.db.query(sql, [bill!.metadata!.overage_of, entries]);
    };
    const rehash = (change: string) => `update ledger_entry set hash = ${change} where balance_id = ${balance} and sequence = $2::integer`;
    await tamper(rehash(`hash || '\\x00'::bytea`));
    expect(await findings()).toContain(`invoice ${bill!.id} names another entry ${entries}`);
    await tamper(rehash('substr(hash, 1, 32)'));
    expect(await findings()).toBe('');
    await tamper(`delete from ledger_entry where balance_id = ${balance} and sequence >= $2::integer`);
    expect(await findings()).toContain(`invoice ${bill!.id} names entry ${entries}, which the ledger does not have`);
  });
});
