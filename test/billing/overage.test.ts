import { once } from 'node:events';
import { compareWithStripe } from '../../src/billing/reconcile/compare-with-stripe.js';
import { openStripe, sharedPace } from '../../src/billing/stripe/stripe-client.js';
import { addJob } from '../../src/jobs/task.js';
import { queueMail } from '../../src/mail/send-mail.js';
import { openPool } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import type { Life } from '../harness/life.js';
import { Mailbox } from '../harness/mailbox.js';
import { PaidService } from '../harness/paid-service.js';
import { Person } from '../harness/person.js';
import { launch, runCli } from '../harness/process.js';
import { dayMs, hourMs, minuteMs, Situation, startsAt } from '../harness/situation.js';
import { randomFrom } from '../stripe/faults.js';
import { payInvoice } from '../stripe/subscribing.js';

describe('overage items', () => {
  let service: PaidService;
  let lives: Situation;
  let all: Life[];

  beforeAll(async () => {
    lives = await Situation.open();
    ({ service } = lives);
    all = [];
    for (let i = 0; i < 12; i++) {
      const life = await lives.begin(`account ${i}`);
      await life.read(4000);
      await life.read(10 + i);
      all.push(life);
    }
    await lives.passTimeUntil(new Date((await all[0]!.periodEnd(1)).getTime() + 10 * minuteMs));
  });

  test('are invoiced once, although concurrent servers are killed at random points and Stripe fails', async () => {
    const random = randomFrom(4711);
    service.stripe.faults.latencyMs = 5;
    service.stripe.faults.scatter(['lost', 'error', 'failed', 'down', 'busy'], 0.2, /invoices|invoiceitems/, 1);
    const { db } = service;
    for (let kills = 0; kills < 4; kills++) {
      // The workers' clock is the real one, and the locks of killed ones have run out.
      await db.query(
        'select graphile_worker.force_unlock_workers(array_agg(locked_by)) from graphile_worker.jobs where locked_by is not null',
      );
      await db.query(`update graphile_worker._private_jobs set run_at = now()`);
      const workers = [1, 2].map(() =>
        launch(process.execPath, [new URL('../harness/overage-worker.js', import.meta.url).pathname], service.environment),
      );
      await service.stripe.nextCall();
      await new Promise((resolve) => setTimeout(resolve, random() * 300));
      for (const worker of workers) {
        worker.kill('SIGKILL');
        await once(worker, 'exit');
      }
      await lives.passTimeUntil(new Date((await all[0]!.periodEnd(1)).getTime() + (22 + kills * 12) * minuteMs));
    }
    service.stripe.faults.clear();
    await db.query(
      'select graphile_worker.force_unlock_workers(array_agg(locked_by)) from graphile_worker.jobs where locked_by is not null',
    );
    for (const minutes of [58, 70, 75, 90, 150, 300, 600, 1200, 1500, 1800]) {
      await lives.passTimeUntil(new Date((await all[0]!.periodEnd(1)).getTime() + minutes * minuteMs));
      await lives.work();
    }
    await lives.leave();
    expect(await lives.differences()).toEqual([]);
  }, 180_000);
});

test('overage above the threshold is billed within the period, once', async () => {
  const s = await Situation.withReader({ OVERAGE_BILL_THRESHOLD_USD: '50' });
  for (const [records, bills] of [
    [900, 1],
    [150, 2],
    [70, 2],
  ] as const) {
    await s.read(records);
    await s.work();
    expect(s.bills()).toHaveLength(bills);
  }
  await s.renew();
  expect(s.bills().map(({ total, status }) => [total, status])).toEqual([
    [5900, 'paid'],
    [1050 * 5, 'paid'],
    [5900 + 70 * 5, 'paid'],
  ]);
  expect(await s.differencesAtEnd()).toEqual([]);
});

test('after an unpaid bill within the period there is no further one, and no further overage until it is paid', async () => {
  const s = await Situation.withReader({ OVERAGE_BILL_THRESHOLD_USD: '20' });
  const bills = () => s.bills().slice(1);
  const { subscription: shown, setOverageCap } = await s.console();
  const background = await s.service.background;
  await setOverageCap(5000);
  s.stripe.setCard(s.life.subscriptionId, false);
  await s.read(400);
  await background.run('find-overage', {});
  await background.runNext();
  // Read before the failed payment was heard of.
  await s.read(500);
  const unheard = (await shown()).overageStoppedBy;
  await s.work();
  expect(bills()).toMatchObject([{ status: 'open', total: 400 * 5 }]);
  expect(unheard).toBeNull();
  await expect(s.read(1)).rejects.toThrow('exhausted');
  expect(await shown()).toMatchObject({ overageStoppedBy: bills()[0]!.hosted_invoice_url, overageCap: 5000, overageCapUsd: '250.00' });
  const warning = async () => (await s.service.db.query<{ warning: string }>('select warning from subscription'))[0]!.warning;
  expect(await warning()).toMatch(/its overage was not paid, our bill in_\w+ of \$20\.00/);
  // The customer's own cap is kept, and may be changed meanwhile.
  await setOverageCap(6000);
  await s.endPeriod(1, 10 * minuteMs);
  await s.work();
  await s.hear();
  await s.read(4000);
  await expect(s.read(1)).rejects.toThrow('exhausted');
  await s.endPeriod(1, 2 * hourMs);
  payInvoice(s.stripe.world, bills()[0]!);
  s.stripe.payOpenInvoices(s.life.subscriptionId);
  await s.hear();
  expect(await shown()).toMatchObject({ overageStoppedBy: null, overageCap: 6000 });
  expect(await warning()).toBeNull();
  await s.read(400);
  await s.work();
  expect(bills().map(({ total }) => total)).toEqual([400 * 5, 5900 + 500 * 5, 400 * 5]);
  expect(await s.differencesAtEnd()).toEqual([]);
});

test('the next bill is shown as it will come, with coupon, taxes and credit, and then line by line', async () => {
  const s = await Situation.withReader();
  const { subscription, nextBill, invoices } = await s.console();
  s.stripe.giveCoupon(s.life.customerId, 50);
  s.stripe.addTaxRate(s.life.subscriptionId, 10);
  s.stripe.world.customers.get(s.life.customerId).balance = -700;
  await s.read(70);
  const shown = await nextBill();
  const parts = ({ lines }: { lines: { kind: string; amountUsd: string }[] }) => lines.map(({ kind, amountUsd }) => [kind, amountUsd]);
  expect(shown).toMatchObject({ isPreview: true, dueUsd: '29.30' });
  expect(parts(shown)).toEqual([
    ['plan', '59.00'],
    ['overage', '3.50'],
    ['discount', '-29.50'],
    ['tax', '3.30'],
    ['balance', '-7.00'],
  ]);
  expect(shown.lines[1]).toMatchObject({ records: 70, unitUsd: '0.05', periodStart: startsAt, periodEnd: await s.life.periodEnd(1) });
  s.stripe.faults.plan('down', /create_preview/);
  const unknown = await nextBill();
  expect(unknown).toMatchObject({ isPreview: false, dueUsd: '62.50' });
  expect(parts(unknown)).toEqual(parts(shown).slice(0, 2));
  expect((await subscription()).openOverageUsd).toBe('3.50');
  expect(s.stripe.callsOf(/create_preview/)).toBe(2);
  await s.renew();
  const [bill] = await invoices();
  expect(bill).toMatchObject({ status: 'paid', paidUsd: '29.30' });
  expect(bill!.lines).toEqual(shown.lines);
  // One that ends has no next invoice; its overage comes on one of its own, with its taxes.
  await s.read(4010);
  await s.cancel(s.life);
  expect(parts(await nextBill())).toEqual([
    ['overage', '0.50'],
    ['tax', '0.05'],
  ]);
});

test('a month of a customer costs at most 20 calls to Stripe, with overage, its comparisons and all its events', async () => {
  const s = await Situation.withReader();
  const { pool } = await s.service.background;
  await s.work();
  // One call for all customers is the look at the list of events, and one for a hundred the nightly list of subscriptions.
  const ofCustomer = () => s.stripe.callsOf(/./) - s.stripe.callsOf(/events$|test_clocks/);
  const before = ofCustomer();
  for (let day = 1; day <= 31; day++) {
    if (day === 20) await s.read(70);
    const at = new Date(startsAt.getTime() + day * dayMs);
    for (const minutes of day === 28 ? [0, 5, 65, 80] : [0]) {
      await s.passTimeUntil(new Date(at.getTime() + minutes * minuteMs));
      await s.work();
    }
    await compareWithStripe(s.api, pool, { afterDays: 10 });
  }
  expect(s.bills().at(-1)).toMatchObject({ status: 'paid', total: 5900 + 70 * 5 });
  const nightlyLists = 31;
  expect(ofCustomer() - before - nightlyLists).toBeLessThanOrEqual(20);
});

test('all servers together keep below Stripe’s limit of calls', async () => {
  const service = await PaidService.open();
  service.stripe.limits.callsPerSecond = 100;
  const pool = openPool(service.db);
  const servers = [1, 2].map(() => openStripe(service.config, { pace: sharedPace(pool) })!);
  const calls = Array.from({ length: 150 }, (_, i) => servers[i % 2]!.prices.list({ limit: 1 }, { maxNetworkRetries: 0 }));
  expect((await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected')).toEqual([]);
});

test('a subscription begun while an unpaid bill stops the overage of another takes over the cap that the customer chose', async () => {
  const s = await Situation.withReader({ OVERAGE_BILL_THRESHOLD_USD: '20' });
  s.stripe.setCard(s.life.subscriptionId, false);
  await s.read(400);
  await s.work();
  await expect(s.read(1)).rejects.toThrow('exhausted');
  s.life = await s.beginAgain(s.life);
  await s.read(4000, 10);
});

test('overage goes on its renewal’s draft, even if the event and a next read come before the period is closed', async () => {
  const s = await Situation.withReader();
  await s.read(70);
  await s.work();
  await s.endPeriod(1, 2_000);
  await s.read(1);
  await s.hear();
  for (const minutes of [1, 2, 4, 5, 70]) {
    await s.endPeriod(1, minutes * minuteMs);
    await s.work();
  }
  expect(s.bills().at(-1)).toMatchObject({ status: 'paid', total: 5900 + 70 * 5 });
});

test('a restored copy of the database sends no mail and writes nothing to Stripe until an operator confirms it, and serves all the while', async () => {
  const mailbox = await Mailbox.open();
  const s = await Situation.withReader({ SMTP_URL: mailbox.url });
  const { service } = s;
  await service.startServer();
  await service.stopServers();
  await s.read(70);
  await s.endPeriod(1, 10 * minuteMs);
  // As in a dump that was restored into another database: the row is there, and names the first.
  await service.db.query('update database_home set database_oid = 1');
  const jobs = openPool(service.db);
  await queueMail(jobs, { id: 'one', recipient: 'ada@example.com', subject: 'Yours', text: 'From the copy', html: '', link: '' });
  const url = await service.startServer();
  const jobsLeft = async () =>
    (await service.db.query<{ name: string }>('select task_identifier as name from graphile_worker.jobs')).map(({ name }) => name);
  await addJob(jobs, 'prune-jobs', {});
  await eventually('later jobs ran', async () => !(await jobsLeft()).includes('prune-jobs'));
  expect(await jobsLeft()).toContain('send-mail');
  expect(await jobsLeft()).toContain('bill-overage');
  expect((await service.db.query<{ text: string }>('select text from alarm')).map(({ text }) => text)).toEqual([
    expect.stringContaining('looks like a copy'),
  ]);
  const person = await Person.signUp(url);
  const callsBefore = service.stripe.callsOf(/^POST/);
  const { json } = await person.post('/graphql', { body: { query: 'mutation { startCheckout }' } });
  expect(json.errors[0].extensions.code).toBe('unavailable');
  expect(service.stripe.callsOf(/^POST/)).toBe(callsBefore);

  const { code, stdout } = await runCli(['database', 'confirm', '--reason', 'the old one is gone', '--json'], service.environment);
  expect({ code, printed: JSON.parse(stdout) }).toEqual({ code: 0, printed: { is_real: true } });
  expect((await mailbox.mailTo('ada@example.com')).subject).toBe('Yours');
  await eventually('the overage is billed', async () => (await service.db.query('select from overage_item')).length === 1);
  expect(await service.db.query(`select actor, reason from admin_action where action = 'confirm database'`)).toEqual([
    { actor: 'command line', reason: 'the old one is gone' },
  ]);
});
