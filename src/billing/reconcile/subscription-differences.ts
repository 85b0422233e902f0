import type { Pool } from 'pg';
import type Stripe from 'stripe';
import { withAllLines } from '../stripe/invoices.js';
import { idOf } from '../stripe/stripe-client.js';
import {
  endedStatuses,
  hasEnded,
  isInvoiceOf,
  isLive,
  readSubscription,
  type SubscriptionReading,
} from '../subscriptions/subscription-reading.js';
import type { Difference } from './billing-difference.js';

/** Compares subscriptions that have not ended, here or in Stripe. A difference that outlasts its event's delivery is a fault. */
export async function subscriptionDifferences(stripe: Stripe, pool: Pool): Promise<Difference[]> {
  const known = new Map((await unendedSubscriptions(pool)).map((one) => [one.id, one]));
  const accounts = await accountsOfCustomers(pool);
  const differences: Difference[] = [];
  const name = (id: string, accountId: string, how: string) => differences.push({ id: `${id} ${how}`, accountId, text: `${id} ${how}` });
  const compare = (id: string, accountId: string, here: string, there: string) => {
    if (here !== there) name(id, accountId, `of account ${accountId} is ${here} here and ${there} in Stripe`);
  };
  // Without a status, Stripe lists what has not ended.
  for await (const subscription of stripe.subscriptions.list({ limit: 100, expand: ['data.latest_invoice'] })) {
    const { id, status } = subscription;
    const here = known.get(id);
    const accountId = here?.accountId ?? accounts.get(idOf(subscription.customer));
    const reading = readSubscription(subscription);
    if (hasEnded(status) || !accountId || !(here || reading.isOurs)) continue;
    const { current_period_end } = reading.plan ?? subscription.items.data[0]!;
    known.delete(id);
    compare(id, accountId, here ? describe(here.status, here.periodEndSeconds) : 'unknown', describe(status, current_period_end));
    if (here && !here.isPaid && (await isPaid(stripe, subscription, reading))) {
      name(id, accountId, `of account ${accountId} is paid for its period in Stripe, and not here`);
    }
  }
  for (const { id, accountId, status } of known.values()) compare(id, accountId, status, 'ended');
  return differences;
}

const describe = (status: Stripe.Subscription.Status, periodEndSeconds: number): string =>
  `${status}, its period until ${new Date(periodEndSeconds * 1000).toISOString()},`;

/** Whether the latest invoice is paid and of the current period, so that it grants records. */
async function isPaid(stripe: Stripe, { status, pause_collection, latest_invoice }: Stripe.Subscription, { plan }: SubscriptionReading) {
  const latest = latest_invoice as Stripe.Invoice | null; // expanded
  if (!plan || !isLive(status) || pause_collection || latest?.status !== 'paid') return false;
  return isInvoiceOf(plan, await withAllLines(stripe, latest));
}

interface KnownSubscription {
  id: string;
  accountId: string;
  status: Stripe.Subscription.Status;
  periodEndSeconds: number;
  /** Whether we know that its period is paid. */
  isPaid: boolean;
}

async function unendedSubscriptions(pool: Pool): Promise<KnownSubscription[]> {
  const { rows } = await pool.query<KnownSubscription>(
    `select s.id, s.account_id as "accountId", s.status, extract(epoch from s.period_end)::float as "periodEndSeconds",
            b.renew_until >= s.period_end is true as "isPaid"
       from subscription s left join credit_balance b on b.id = s.balance_id
      where s.status <> all($1)`,
    [endedStatuses],
  );
  return rows;
}

async function accountsOfCustomers(pool: Pool): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ customer: string; accountId: string }>(
    `select stripe_customer_id as customer, account_id as "accountId" from billing_customer where stripe_customer_id is not null`,
  );
  return new Map(rows.map(({ customer, accountId }) => [customer, accountId]));
}
