import { compareWithStripe } from '../../src/billing/reconcile/compare-with-stripe.js';
import { openPool } from '../harness/database.js';
import type { Life } from '../harness/life.js';
import type { PaidService } from '../harness/paid-service.js';
import { Person } from '../harness/person.js';
import { hourMs, minuteMs, Situation } from '../harness/situation.js';

describe('the comparison with Stripe', () => {
  let service: PaidService;
  let s: Situation;
  let all: Life[];
  let operator: Person;

  beforeAll(async () => {
    s = await Situation.open();
    ({ service } = s);
    all = [];
    for (let i = 0; i < 3; i++) {
      const life = await s.begin(`account ${i}`);
      await life.read(4000);
      await life.read(70);
      all.push(life);
    }
    operator = await Person.signUp(await service.startServer());
    await service.db.query(`update auth."user" set role = 'admin' where id = $1`, [operator.id]);
  });

  const listed = async () => {
    const query = '{ billingDifferences { id text reason } }';
    return (await operator.ask<{ billingDifferences: { id: string; text: string; reason: string | null }[] }>(query)).billingDifferences;
  };
  const renewalOf = (life: Life) => service.stripe.billsOf(life.customerId)[1]!;
  const itemOf = (life: Life) => renewalOf(life).lines.data.find(({ metadata }) => metadata.overage_item)!;

  test('finds no difference while an invoice is a draft, when it is final, or while an item’s outcome is unknown', async () => {
    for (const minutes of [10, 120]) {
      await s.passTimeUntil(new Date((await all[0]!.periodEnd(1)).getTime() + minutes * minuteMs));
      for (const life of all) await s.follow(life);
      await s.work();
      expect(await service.differences()).toEqual([]);
    }
    expect(await listed()).toEqual([]);
    const { lines } = renewalOf(all[0]!);
    const kept = lines.data;
    await service.db.query(`update overage_item set state = 'trying'`);
    lines.data = kept.filter(({ metadata }) => !metadata.overage_item);
    expect(await service.differences()).toEqual([]);
    lines.data = kept;
    await service.db.query(`update overage_item set state = 'billed'`);
  });

  test('names a duplicate item, and a subscription that differs', async () => {
    const [life] = all;
    const { lines } = renewalOf(life!);
    const subscription = service.stripe.world.subscriptions.get(life!.subscriptionId);
    lines.data.push({ ...itemOf(life!), id: 'il_twice' });
    subscription.status = 'past_due';
    expect(await service.differences()).toEqual([
      expect.stringMatching(/Stripe has \$3\.50 on in_\w+ and \$3\.50 on in_\w+, should have \$3\.50 once/),
      expect.stringContaining('is active'),
    ]);
    subscription.status = 'active';
  });

  test('lets an operator acknowledge a difference with a reason, and names it again when it grows', async () => {
    await service.differences();
    const [known] = await listed();
    const acknowledge = 'mutation ($id: ID!, $reason: String!) { acknowledgeBillingDifference(id: $id, reason: $reason) { reason } }';
    await expect(operator.ask(acknowledge, { id: known!.id, reason: ' ' })).rejects.toThrow('invalid_request');
    await expect(operator.ask(acknowledge, { id: 'none', reason: 'why' })).rejects.toThrow('not_found');
    await operator.ask(acknowledge, { id: known!.id, reason: 'agreed by phone' });
    expect(await listed()).toMatchObject([{ id: known!.id, reason: 'agreed by phone' }]);
    expect(await service.differences()).toEqual([]);
    const actions = await service.db.query('select actor, reason from admin_action where target = $1', [known!.id]);
    expect(actions).toEqual([{ actor: operator.id, reason: 'agreed by phone' }]);
    const { lines } = renewalOf(all[0]!);
    lines.data.push({ ...itemOf(all[0]!), id: 'il_thrice' });
    expect(await service.differences()).toEqual([expect.stringMatching(/(\$3\.50 on in_\w+( and )?){3}/)]);
    expect(await operator.ask('{ dashboard { billingDifferences } }')).toEqual({ dashboard: { billingDifferences: 1 } });
    const customer = await Person.signUp(operator.url);
    await expect(customer.ask('{ billingDifferences { id } }')).rejects.toThrow('forbidden');
    lines.data = lines.data.filter(({ id }) => id !== 'il_twice' && id !== 'il_thrice');
    expect(await service.differences()).toEqual([]);
  });

  test('names two errors of a customer that cancel each other out', async () => {
    const [life] = all;
    const { lines } = renewalOf(life!);
    const kept = lines.data;
    lines.data = [...kept.filter((line) => line !== itemOf(life!)), { ...itemOf(life!), metadata: { overage_item: 'not-ours' } }];
    const differences = (await service.differences()).join();
    expect(differences).toMatch(/70 overage records \(item [0-9a-f-]+\) Stripe has nothing, should have \$3\.50 once/);
    expect(differences).toContain('is overage that we did not put there (item not-ours)');
    lines.data = kept;
  });

  test('names a renewal without the plan’s price, and a line on our own bill that is not ours', async () => {
    const [, life] = all;
    const { id, lines } = renewalOf(life!);
    const kept = lines.data;
    lines.data = [itemOf(life!)];
    expect(await service.differences()).toEqual([expect.stringContaining(`bill ${id} is a renewal without the plan's price`)]);
    lines.data = kept;
    const own = service.stripe.world.invoices.add({
      ...renewalOf(life!),
      id: 'in_own',
      billing_reason: 'manual',
      metadata: { overage_bill: 'one' },
    });
    own.lines = { ...lines, data: kept.filter((line) => line !== itemOf(life!)) };
    expect(await service.differences()).toEqual([
      expect.stringContaining('our bill in_own has a line of $59.00 that we did not put there'),
    ]);
    service.stripe.world.invoices.remove('in_own');
  });

  test('names overage that waits longer than it may', async () => {
    await service.db.query(`update overage_item set state = 'missed' where stripe_customer_id = $1`, [all[2]!.customerId]);
    const waits = async () => (await service.differences()).filter((text) => text.includes('70 records wait to be billed since'));
    expect(await waits()).toEqual([]);
    await s.passTimeUntil(new Date((await all[0]!.periodEnd(1)).getTime() + 4.1 * 24 * hourMs));
    expect(await waits()).toHaveLength(1);
    await service.db.query(`update overage_item set state = 'billed' where stripe_customer_id = $1`, [all[2]!.customerId]);
    expect(await service.differences()).toEqual([]);
  });

  test('continues where the last one stopped, keeps what that found, and says how old the oldest comparison is', async () => {
    const pool = openPool(service.db);
    const compare = (signal?: AbortSignal, limitMs = 60_000) => compareWithStripe(s.api, pool, { limitMs, ...(signal && { signal }) });
    await service.db.query(`update billing_customer set compared_at = null, created_at = service_now() - interval '15 days'`);
    itemOf(all[0]!).amount = 1;
    const stop = new AbortController();
    const { onCall } = service.stripe.world;
    service.stripe.world.onCall = (call) => {
      onCall(call);
      if (call.endsWith('/balance_transactions')) stop.abort();
    };
    const [bills, , , ages] = await compare(stop.signal);
    service.stripe.world.onCall = onCall;
    expect(bills!.firstBreak).toContain('Stripe has $0.01 on');
    expect(ages!.firstBreak).toMatch(/the oldest comparison is of 2027-/);
    expect(await service.db.query('select account_id from billing_customer where compared_at is not null')).toEqual([
      { account_id: 'account 0' },
    ]);
    // A customer that cannot be compared does not keep the others from it.
    service.stripe.faults.plan('gone', new RegExp(`GET .*${all[1]!.customerId}/balance_transactions`));
    expect((await compare())[0]!.firstBreak).toMatch(
      /could not be compared.*; customer .* Stripe has \$0\.01 on|\$0\.01 on.*could not be compared/,
    );
    itemOf(all[0]!).amount = 350;
    expect((await compare()).map(({ firstBreak }) => firstBreak)).toEqual([null, null, null, null]);
  });
});
