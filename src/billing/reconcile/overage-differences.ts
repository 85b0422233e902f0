import type { Pool } from 'pg';
import type Stripe from 'stripe';
import { usd } from '../../ledger/money.js';
import { withAllLines } from '../stripe/invoices.js';
import type { Difference } from './billing-difference.entity.js';

/** A customer's items on invoices, less credits. */
export interface BilledTotal {
  customer: string;
  accountId: string;
  cents: number;
  /** Whether Stripe's total is not known yet, because an item has no outcome. */
  isUncertain: boolean;
  /** Items that have been on a draft, or without an outcome, for days. */
  stuck: string | null;
}

/** All customers with a balance, except those deleted in Stripe, whose invoices it no longer lists. */
export async function billedTotals(pool: Pool, customer: string | null = null): Promise<BilledTotal[]> {
  const { rows } = await pool.query<BilledTotal>(
    `select c.stripe_customer_id as customer, c.account_id as "accountId",
            coalesce(sum(i.records::bigint * i.unit_cents) filter (where i.state in ('added', 'billed')), 0)::float as cents,
            coalesce(bool_or(i.state = 'trying'), false) as "isUncertain",
            string_agg(format('%s records are %s since %s', i.records, i.state, i.opened_at), ', ' order by i.opened_at)
              filter (where i.state in ('trying', 'added') and i.opened_at < service_now() - interval '4 days') as stuck
       from billing_customer c left join overage_item i on i.stripe_customer_id = c.stripe_customer_id
      where c.stripe_customer_id is not null and ($1::text is null or c.stripe_customer_id = $1)
        and exists (select from subscription s where s.stripe_customer_id = c.stripe_customer_id and s.balance_id is not null)
      group by 1, 2
      order by 1`,
    [customer],
  );
  return rows;
}

/** The overage on a customer's invoices, less credits, must equal our items. */
export async function overageDifferences(stripe: Stripe, pool: Pool, put: BilledTotal, invoices: Stripe.Invoice[]): Promise<Difference[]> {
  const { customer, accountId, stuck } = put;
  const differences: Difference[] = [];
  const name = (id: string, text: string) =>
    differences.push({ id: `${customer} ${id}`, accountId, text: `customer ${customer}: ${text}` });
  if (stuck) name(stuck, stuck);
  if (put.isUncertain) return differences;
  const atStripe = await centsAtStripe(stripe, customer, invoices);
  const [after] = await billedTotals(pool, customer);
  // Something was billed in the meantime: left to the next comparison.
  if (!after || after.isUncertain || after.cents !== put.cents || atStripe === put.cents) return differences;
  name(
    `${atStripe - put.cents} cents`,
    `Stripe's bills and credits have $${inDollars(atStripe)} of overage, $${inDollars(put.cents)} were put there`,
  );
  return differences;
}

async function centsAtStripe(stripe: Stripe, customer: string, invoices: Stripe.Invoice[]): Promise<number> {
  let cents = 0;
  for (const invoice of invoices) {
    const { lines } = await withAllLines(stripe, invoice);
    for (const line of lines.data) if (line.metadata?.overage_item) cents += line.amount;
  }
  for await (const { amount, metadata } of stripe.customers.listBalanceTransactions(customer, { limit: 100 })) {
    if (metadata?.overage_item) cents += amount;
  }
  return cents;
}

const inDollars = (cents: number): string => usd(BigInt(cents));
