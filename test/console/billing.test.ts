import type { Locator } from 'playwright-core';
import { setUpStripe } from '../../src/billing/stripe/setup.js';
import { openStripe } from '../../src/billing/stripe/stripe-client.js';
import { startApp, type TestApp } from '../harness/app.js';
import { browser, openAs, openPage, openPages, page, storeToken } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import { openStripeStandIn } from '../harness/paid-service.js';
import type { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';
import type { StripeStandIn } from '../stripe/stand-in.js';

let stripe: StripeStandIn;
let app: TestApp;

beforeAll(async () => {
  stripe = await openStripeStandIn();
  app = await startApp({
    STRIPE_SECRET_KEY: 'sk_test_stand_in',
    STRIPE_API_URL: stripe.url,
    STRIPE_WEBHOOK_SECRET: stripe.deliveries.secret,
  });
  await setUpStripe(openStripe(app.config)!, false);
  stripe.deliveries.endpoint = `${app.url}/api/stripe/webhook`;
  await publishRecords(app.db, '25017', 50);
});
openPages(() => app.config.baseUrl);

/** Somebody who has paid the plan, at the page of its bills. */
async function subscribe(): Promise<Person> {
  const person = await app.signUp();
  stripe.completeCheckout(await person.startCheckout());
  await stripe.deliverAll();
  await openAs(page, person, '/console/billing');
  await page.getByText('active', { exact: true }).waitFor();
  return person;
}

const present = () => stripe.world.subscriptions.all().at(-1)!;

/** Makes a token in the open dialog; answers with its raw value. */
async function makeToken(name: string): Promise<string> {
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('button', { name: 'Create token' }).click();
  return storeToken(page);
}

describe('a customer of the paid plan', () => {
  it('sees the next and the past bills line by line, with coupons, and behind each line its entries in the ledger', async () => {
    const person = await subscribe();
    const token = await person.issuePaidToken();
    await person.read(token, 40);
    const [{ id, balanceId }] = (await app.db.query<{ id: string; balanceId: string }>(
      'select id, balance_id as "balanceId" from subscription where account_id = $1',
      [person.id],
    )) as [{ id: string; balanceId: string }];
    await app.db.query('select adjust_balance($1, $2, $3, $4)', [balanceId, -3958, 'used elsewhere', 'test']);
    await person.read(token, 5);
    stripe.giveCoupon(id, 50);
    await page.goto('/console');
    await page.getByText('$0.15 of overage is not billed yet.').waitFor();
    await page.getByRole('link', { name: 'See the next bill' }).click();
    await page.getByText('mails show $59.00, without $0.15 of open overage').waitFor();
    const linesOf = (bill: RegExp | string) => page.getByRole('region', { name: bill }).getByRole('row');
    const shows = (lines: Locator, ...texts: string[]) => texts.reduce((found, text) => found.filter({ hasText: text }), lines).waitFor();
    const next = linesOf('Lines of the next bill');
    await shows(next, 'API Records, monthly', '$59.00', 'paid in advance');
    await shows(next, 'Discount', '-$29.50');
    await page.getByText('$29.65, as far as it is known now.', { exact: false }).waitFor();
    const leadsToReads = async (lines: Locator) => {
      await lines.filter({ hasText: 'Overage: 3 records at $0.05' }).filter({ hasText: '$0.15' }).getByRole('link').click();
      const entries = page.getByRole('region', { name: 'Ledger entries', exact: true }).getByRole('row');
      await entries.filter({ hasText: '3 ($0.15)' }).waitFor();
      expect(await entries.count()).toBe(3);
    };
    await leadsToReads(next);
    stripe.faults.plan('down', /create_preview/);
    await page.goto('/console/billing');
    await page.getByText('Coupons, credit and taxes are not included.').waitFor();

    stripe.cancelNow(id);
    await stripe.deliverAll();
    await app.db.moveClock('10 minutes');
    const billed = () => stripe.billsOf(stripe.world.subscriptions.get(id).customer as string).filter(({ status }) => status === 'paid');
    await eventually('the overage is billed', async () => billed().length === 2);
    await page.goto('/console/billing');
    await page.getByRole('link', { name: new RegExp(`lines? of invoice ${billed()[1]!.number}`) }).click();
    await leadsToReads(linesOf(`Lines of invoice ${billed()[1]!.number}`));
    await page.goto('/console/billing');
    await page.getByRole('link', { name: new RegExp(`lines? of invoice ${billed()[0]!.number}`) }).click();
    await linesOf(`Lines of invoice ${billed()[0]!.number}`).getByRole('link', { name: 'Grant of this period' }).click();
    await page.getByRole('region', { name: 'Ledger entries', exact: true }).getByRole('cell', { name: 'grant', exact: true }).waitFor();
  });

  it('is told on every page what is used of the plan before it costs more, and what it costs so far', async () => {
    const person = await subscribe();
    const isAt = async (remaining: number, overage: number, cap: number | null) => {
      await app.db.query('update credit_balance set remaining = $2, overage_records = $3, overage_cap = $4 where account_id = $1', [
        person.id,
        ...[remaining, overage, cap],
      ]);
      await app.db.query('update subscription set kept_cap = $2 where account_id = $1', [person.id, cap]);
    };
    const tells = async (told: RegExp, ...pages: string[]) => {
      for (const path of pages) {
        await page.goto(path);
        await page.getByRole('note').filter({ hasText: told }).waitFor();
      }
    };
    await isAt(800, 0, null);
    await tells(/80% of included records used.*800 of 4,000 are left until .* No cap is set\..*Set a cap/s, '/console');
    await isAt(0, 1720, null);
    await tells(
      /Included records used up.*Overage so far: \$86\.00 \(1,720 records\)\. No cap is set\. Your included records renew on/s,
      '/console',
    );
    await isAt(0, 1720, 4000);
    await tells(/Overage so far: \$86\.00 \(1,720 records\)\. Your overage cap is \$200\.00 \(4,000 records\)\./, '/console/usage');
    await isAt(0, 2000, 2000);
    await tells(/Requests are refused until .*: you have reached your cap of \$100\.00 \(2,000 records\)/s, '/console/usage');
    await page.getByText('2,000 records, $100.00').waitFor();
    await person.issuePaidToken();
    await page.goto('/console/tokens');
    await page.getByRole('link', { name: 'View cap' }).click();
    await page.getByRole('button', { name: 'Raise the cap' }).click();
    await page.getByRole('textbox', { name: 'Overage cap' }).fill('');
    await page.getByRole('button', { name: 'Save cap' }).click();
    await page.getByText('Requests are refused until').waitFor({ state: 'detached' });
    await isAt(0, 1720, 2000);
    const close = /Close to your overage cap.*\$86\.00 of \$100\.00 \(1,720 of 2,000 records\)\. At the cap, requests are refused until/s;
    await tells(close, '/console/usage', '/console/billing', '/console');
    await page.getByText('$100.00 (2,000 records), 280 left').waitFor();
    await isAt(801, 0, null);
    await page.goto('/console');
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    await page.getByText('First steps').waitFor();
    expect(await page.getByRole('note').filter({ hasText: 'included records' }).count()).toBe(0);
  });

  it('is found by operators among those who spend most, with its subscription', async () => {
    const { id, email } = await subscribe();
    await app.db.query('update credit_balance set remaining = 0, overage_records = 900000 where account_id = $1', [id]);
    const operators = await openPage(browser, { baseURL: app.config.baseUrl });
    await openAs(operators, await app.signUpOperator(), '/admin/accounts');
    await operators.getByRole('combobox', { name: 'Order' }).selectOption('Highest spend');
    const first = operators.getByRole('region', { name: 'Accounts' }).getByRole('row').nth(1).filter({ hasText: email });
    for (const each of ['paid', '904,000 of 4,000', '$45,059.00']) await first.getByRole('cell', { name: each, exact: true }).waitFor();
    await operators.getByRole('combobox', { name: 'Plan' }).selectOption('none');
    await first.waitFor({ state: 'detached' });
    await operators.getByRole('combobox', { name: 'Plan' }).selectOption('paid');
    await first.getByRole('link', { name: email }).click();
    await operators.getByText('904,000 records used of 4,000 included in this period, $45,059.00 so far before taxes.').waitFor();
    const row = operators.getByRole('region', { name: 'List of subscriptions' }).getByRole('row').nth(1);
    for (const each of [present().id, present().customer as string, 'active', 'renews', 'none']) {
      await row.getByText(each, { exact: true }).waitFor();
    }
  });

  it('chooses a cap in dollars before paying, sees plan and invoice, changes it, and subscribes again, which takes a token of its own', async () => {
    const person = await app.signUp();
    await openAs(page, person, '/console/billing');
    await page.getByRole('button', { name: 'Subscribe' }).click(); // which the browser refuses without an answer
    expect(await page.getByRole('radio', { name: 'No limit' }).isChecked()).toBe(false);
    await page.getByRole('radio', { name: 'Stop at' }).check();
    await page.getByRole('textbox', { name: 'Overage cap' }).fill('20');
    await page.getByText('Up to 400 overage records, for at most $79.00 a month in total before taxes.').waitFor();
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByRole('button', { name: 'Pay by card' }).waitFor();
    // Whoever comes back without paying finds the cap as they left it.
    await page.goto('/console/billing?checkout=cancelled');
    await page.getByRole('radio', { name: 'Stop at' }).check();
    await page.getByText('Up to 400 overage records').waitFor();
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByRole('button', { name: 'Pay by card' }).click();
    await page.getByText('$20.00 (400 records) per period').waitFor();
    await page.waitForURL((url) => url.search === '');
    await page.getByText('4,000 of 4,000').waitFor();
    await page
      .getByRole('link', { name: /^Open invoice/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Set a cap' }).click();
    const cap = page.getByRole('textbox', { name: 'Overage cap' });
    await cap.fill('50000000.01');
    await page.getByRole('button', { name: 'Save cap' }).click();
    expect(await cap.evaluate((input) => input.matches(':invalid'))).toBe(true);
    await cap.fill('50000000');
    expect(await cap.evaluate((input) => input.matches(':invalid'))).toBe(false);
    await cap.fill('50.04');
    await page.getByText('Up to 1,000 overage records, for at most $109.00 a month in total before taxes.').waitFor();
    await page.getByRole('button', { name: 'Save cap' }).click();
    await page.getByText('$50.00 (1,000 records) per period').waitFor();

    await person.issuePaidToken('Of the first plan');
    stripe.cancelNow(present().id);
    await stripe.deliverAll();
    await page.reload();
    await page.getByRole('button', { name: 'Subscribe again' }).waitFor();
    await page.getByRole('radio', { name: 'Stop at' }).check();
    expect(await cap.inputValue()).toBe('50');
    await page.getByRole('radio', { name: 'No limit' }).check();
    await page.getByRole('button', { name: 'Subscribe again' }).click();
    await page.getByRole('button', { name: 'Pay by card' }).click();
    await page.getByText('active', { exact: true }).waitFor();
    await page.getByText('One step left').waitFor();
    await page.getByRole('link', { name: 'Tokens', exact: true }).click();
    await page.getByText('One step left').waitFor();
    await page.getByRole('button', { name: 'Revoke Of the first plan' }).waitFor();
    expect(await page.getByRole('button', { name: 'Replace Of the first plan' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Usage' }).click();
    const balances = page.getByRole('region', { name: 'Balances' });
    await balances.getByText('ended', { exact: true }).waitFor();
    await balances.getByText('Ended', { exact: true }).waitFor();
    expect(await balances.getByRole('heading', { name: 'API Records' }).count()).toBe(2);
    expect(await balances.getByText('Projected bill').count()).toBe(1);
  });

  it('is offered the plan first when the trial is used up, awaits it a minute after a checkout, and finds it if subscribed to in another tab', async () => {
    const person = await app.signUp();
    await person.read(await person.trialToken(), 50);
    await openAs(page, person, '/console/usage');
    await page.getByRole('note').filter({ hasText: 'Requests are refused with 402 exhausted.' }).waitFor();
    await page.goto('/console');
    await page.getByRole('heading', { name: 'Your trial has ended' }).waitFor();
    const ways = page.getByRole('main').getByRole('link', { name: 'paid plan' });
    expect(await ways.or(page.getByRole('button', { name: 'trial token' })).allTextContents()).toEqual([
      'See the paid plan',
      'Get the trial token',
    ]);
    const subscribe = page.getByRole('button', { name: 'Subscribe' });
    await page.clock.install();
    await page.goto('/console/billing?checkout=done');
    await page.getByText('We’re confirming your payment').waitFor();
    expect(await subscribe.count()).toBe(0);
    await page.clock.fastForward('01:00');
    await subscribe.waitFor();
    await page.getByRole('heading', { name: 'Invoices' }).waitFor();
    expect(page.url()).toBe(`${app.config.baseUrl}/console/billing`);
    await page.getByRole('radio', { name: 'No limit' }).check();
    stripe.completeCheckout(await person.startCheckout());
    await stripe.deliverAll();
    await subscribe.click();
    await page.getByText('active', { exact: true }).waitFor();
    expect(await subscribe.count()).toBe(0);
  });

  it('replaces a token without a gap: the new one reads before the old one is revoked, and has a cap of its own that is raised', async () => {
    await subscribe();
    await page.getByText('One step left').waitFor();
    await page.getByRole('button', { name: 'Create paid token' }).click();
    const old = await makeToken('Nightly job');
    await page.getByRole('link', { name: 'Tokens', exact: true }).click();
    await page.getByRole('button', { name: 'Replace Nightly job' }).click();
    await page.getByRole('textbox', { name: 'Maximum records per period' }).fill('8');
    const fresh = await makeToken('Nightly job 2');
    expect((await app.get('/api/usage', { token: old })).status).toBe(200);
    expect((await app.get('/api/usage', { token: fresh })).status).toBe(200);
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    expect((await app.get('/api/usage', { token: old })).json.error).toBe('revoked');
    await page.getByText('0 of 8 used').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('First steps: 1 of 3 done').waitFor();
    expect((await app.get('/api/parcels?limit=10', { token: fresh })).json.parcels).toHaveLength(8);
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByText('8 of 8 used').waitFor();
    await page.getByText('own cap reached', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cap Nightly job 2' }).click();
    await page.getByRole('textbox', { name: 'Maximum records per period' }).fill('16');
    await page.getByRole('button', { name: 'Save cap' }).click();
    await page.getByText('8 of 16 used').waitFor();
    await page.getByText('active', { exact: true }).waitFor();
    await page.goto('/console/usage?kind=terms');
    await page.getByRole('cell', { name: /Token \S+: at most 16 records a period\./ }).waitFor();
  });

  it('hears of a failed payment or a stopped plan before anything else, and is led to the portal, where it cancels', async () => {
    await subscribe();
    await page.getByText('One step left').waitFor();
    const subscription = present();
    for (const [status, notice] of [
      ['unpaid', 'You have an unpaid bill'],
      ['paused', 'Your plan is paused'],
      ['incomplete', 'Your first payment isn’t complete'],
      ['past_due', 'Your last payment failed'],
    ] as const) {
      subscription.status = status;
      stripe.world.emit('customer.subscription.updated', subscription);
      await stripe.deliverAll();
      await page.reload();
      await page.getByText(notice).waitFor();
      // Stripe would refuse a second plan.
      expect(await page.getByRole('button', { name: 'Subscribe' }).or(page.getByText('One step left')).count()).toBe(0);
    }
    await page.goto('/console');
    await page.getByText('First steps').click();
    await page.getByText('Your last payment failed').waitFor();
    expect(await page.getByText('Your plan is active').count()).toBe(0);
    await page.goto('/console/billing');
    await page.getByRole('button', { name: 'Manage billing or cancel' }).click();
    await page.getByRole('button', { name: /cancel at the end of the period/ }).click();
    await page.getByRole('button', { name: /keep it/ }).waitFor();
    await stripe.deliverAll();
    await page.goto('/console/billing');
    await page.getByText('Ends', { exact: true }).waitFor();
  });
});
