import { pino } from 'pino';
import { CreditGiver, customersAtOnce } from '../../src/billing/credit-giver.js';
import { openStripe } from '../../src/billing/stripe-client.js';
import { createLog } from '../../src/core/log.js';
import { openPool } from '../../src/database/database.js';
import { closeAtEnd } from '../harness/closing.js';
import { openFairLives } from '../harness/fair-lives.js';
import type { Lives } from '../harness/lives.js';
import { PaidService } from '../harness/paid-service.js';
import { StallingProxy } from '../harness/stalling-proxy.js';

const customers = 2 * customersAtOnce + 1;

/** Of each customer 100 records more were taken back than read in the first period, which is long over. */
async function openBooks(customers: number, eventsOfEach: number, apart: string): Promise<{ service: PaidService; credits: CreditGiver }> {
  const service = await PaidService.open();
  const log = createLog(service.config);
  const pool = openPool(service.db.url, 'credits', 1, log);
  closeAtEnd(() => pool.end());
  await service.db.query(
    `insert into billing_customer (account_id, stripe_customer_id) select 'account ' || i, 'cus_' || i from generate_series(1, $1::integer) i`,
    [customers],
  );
  await service.db.query(`
    insert into credit_balance (account_id, plan, grant_records, overage_unit_cents, period_anchor, period_start, period_end)
    select account_id, 'paid', 4000, 5, t.began, t.began + interval '2 months', t.began + interval '3 months'
      from billing_customer, (select service_now() - interval '75 days' as began) t`);
  await service.db.query(`
    insert into subscription (id, account_id, stripe_customer_id, status, balance_id, period_start, period_end, created_at)
    select 'sub_' || c.stripe_customer_id, c.account_id, c.stripe_customer_id, 'active', b.id, b.period_start, b.period_end, b.period_anchor
      from billing_customer c join credit_balance b using (account_id)`);
  await service.db.query(
    `insert into meter_event (identifier, balance_id, stripe_customer_id, period_start, entries, records, counted_at, state)
     select s.id || ' ' || n, s.balance_id, s.stripe_customer_id, b.period_anchor, 1, case n when 1 then -99 - $1::integer else 1 end,
            b.period_anchor + n * $2::interval, 'sent'
       from subscription s join credit_balance b on b.id = s.balance_id, generate_series(1, $1::integer) n`,
    [eventsOfEach, apart],
  );
  return { service, credits: new CreditGiver(openStripe(service.config)!, pool, log) };
}

describe('reads of many customers, taken back when their bill was final', () => {
  let service: PaidService;
  let credits: CreditGiver;

  beforeAll(async () => {
    ({ service, credits } = await openBooks(customers, 300, '1 hour'));
  });

  const openedFor = () =>
    service.db.query(`select count(distinct balance_id)::integer as customers, min(records), max(records) from billing_credit`);

  it('come back to a part of them at a time, within the limits of any statement', async () => {
    await credits.giveDue();
    expect(await openedFor()).toEqual([{ customers: customersAtOnce, min: 100, max: 100 }]);
  });

  it('come back to all of them in turn, and once', async () => {
    for (let turn = 0; turn < 5; turn++) await credits.giveDue();
    expect(await openedFor()).toEqual([{ customers, min: 100, max: 100 }]);
    expect(await service.db.query('select count(*)::integer from billing_credit')).toEqual([{ count: customers }]);
  });

  it('are looked for no further when Postgres goes away meanwhile, and that is one fault', async () => {
    const proxy = await StallingProxy.open(service.db.url);
    closeAtEnd(() => proxy.close());
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
    const pool = openPool(proxy.url, 'credits away', 1, pino({ enabled: false }));
    closeAtEnd(() => pool.end());
    proxy.cutAllAfter('open_credits_of');
    await expect(new CreditGiver(openStripe(service.config)!, pool, log).giveDue()).rejects.toThrow('Connection terminated');
    expect(lines).toEqual([]);
  });
});

test('a read that was taken back comes back to a customer who reads day and night, too', async () => {
  const { service, credits } = await openBooks(1, 400_000, '5 seconds');
  await credits.giveDue();
  expect(await service.db.query('select records from billing_credit')).toEqual([{ records: 100 }]);
});

describe('the audit of what was given back', () => {
  const startsAt = new Date('2027-01-31T10:00:00Z');
  let service: PaidService;
  let lives: Lives;

  beforeAll(async () => {
    ({ service, lives } = await openFairLives(startsAt));
    const life = await lives.begin('one');
    for (const records of [4000, 70]) await life.read(records);
    await lives.work();
    await lives.endAtOnce(life, await life.periodEnd(1));
    await lives.passTimeUntil(new Date(startsAt.getTime() + 3 * 3600_000));
    await lives.work();
    await life.takeBack(0.9, new Date(startsAt.getTime() + 3 * 3600_000));
    await service.reportOverage();
  });

  const credits = () => service.stripe.world.balanceTransactions.all();
  const namedAs = (here: number, there: number, id = credits()[0]!.metadata!.credit) => [
    expect.stringMatching(`credit ${id} has ${here} cents here, ${there} in Stripe`),
  ];

  it('finds no difference while nobody knows whether Stripe has it, nor when it has', async () => {
    service.stripe.faults.plan('lost', /POST .*balance_transactions/);
    await lives.giveCredits();
    expect(credits().map(({ amount }) => amount)).toEqual([-70 * 5]);
    expect(await service.differences()).toEqual([]);
    await lives.passTimeUntil(new Date(startsAt.getTime() + 4 * 3600_000));
    await lives.giveCredits();
    expect(await service.db.query('select state from billing_credit')).toEqual([{ state: 'given' }]);
    expect(await service.differences()).toEqual([]);
  });

  it('names one that Stripe has not, or has twice, and one that only Stripe has', async () => {
    const { balanceTransactions } = service.stripe.world;
    const [credit] = credits();
    const named = namedAs(350, 0);
    balanceTransactions.remove(credit!.id);
    expect(await service.differences()).toEqual(named);
    balanceTransactions.add(credit!);
    balanceTransactions.add({ ...credit!, id: 'cbtxn_twice' });
    expect(await service.differences()).toEqual(namedAs(350, 700));
    balanceTransactions.add({ ...credit!, id: 'cbtxn_twice', metadata: { credit: 'another' } });
    expect(await service.differences()).toEqual(namedAs(0, 350, 'another'));
    balanceTransactions.add({ ...credit!, id: 'cbtxn_twice', metadata: {} });
    expect(await service.differences()).toEqual([]);
  });
});
