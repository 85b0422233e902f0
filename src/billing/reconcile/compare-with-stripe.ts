import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type Stripe from 'stripe';
import type { Config } from '../../core/config.js';
import { AppError } from '../../core/errors.js';
import type { AuditFinding } from '../../ledger/books-check.js';
import { openStripe } from '../stripe/stripe-client.js';
import type { Difference } from './billing-difference.entity.js';
import { replaceDifferences, unacknowledgedIds } from './billing-difference.store.js';
import { ledgerDifferences, namedHeads } from './ledger-differences.js';
import { billedTotals, overageDifferences } from './overage-differences.js';
import { subscriptionDifferences } from './subscription-differences.js';

// Two calls a customer, more for long histories. Stripe allows a hundred a second, all servers together.
const customersPerMinute = 200;

/**
 * Compares our books with Stripe, customer by customer: overage on invoices and credits, subscriptions, and ledger heads.
 * Stores every difference for operators, who may acknowledge it. The findings name the unacknowledged ones.
 * @param pauseMs between two customers
 */
export async function compareWithStripe(
  stripe: Stripe,
  pool: Pool,
  { pauseMs = 60_000 / customersPerMinute, signal }: { pauseMs?: number; signal?: AbortSignal } = {},
): Promise<AuditFinding[]> {
  const customers = await billedTotals(pool);
  const ofBills: Difference[] = [];
  const ofLedgers: Difference[] = [];
  let headCount = 0;
  for (const put of customers) {
    const invoices = await stripe.invoices.list({ customer: put.customer, limit: 100 }).autoPagingToArray({ limit: 10_000 });
    ofBills.push(...(await overageDifferences(stripe, pool, put, invoices)));
    const heads = namedHeads(invoices);
    headCount += heads.length;
    ofLedgers.push(...(await ledgerDifferences(pool, put.accountId, heads)));
    if (pauseMs > 0) await sleep(pauseMs, undefined, { ...(signal && { signal }) });
  }
  const ofSubscriptions = await subscriptionDifferences(stripe, pool);
  await replaceDifferences(pool, [...ofBills, ...ofSubscriptions, ...ofLedgers]);
  const open = new Set(await unacknowledgedIds(pool));
  const finding = (invariant: string, checked: number, differences: Difference[]): AuditFinding => ({
    invariant,
    checked,
    firstBreak:
      differences
        .filter(({ id }) => open.has(id))
        .map(({ text }) => text)
        .join('; ') || null,
  });
  return [
    finding("Stripe's invoices and credits have exactly the overage that we put there", customers.length, ofBills),
    finding('every subscription is here what it is in Stripe', customers.length, ofSubscriptions),
    finding('the ledger has each head that an invoice of Stripe names', headCount, ofLedgers),
  ];
}

/**
 * The same for `audit --stripe`.
 * @throws AppError not_configured without a Stripe key
 */
export async function compareBooks(
  config: Pick<Config, 'stripeSecretKey' | 'stripeApiUrl'>,
  pool: Pool,
  pauseMs?: number,
): Promise<AuditFinding[]> {
  const stripe = openStripe(config);
  if (!stripe) throw new AppError('not_configured', 'Comparing with Stripe needs STRIPE_SECRET_KEY.');
  return compareWithStripe(stripe, pool, { ...(pauseMs !== undefined && { pauseMs }) });
}
