import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type Stripe from 'stripe';
import type { AuditFinding } from '../../ledger/books-check.js';
import { replaceDifferences, unacknowledgedIds } from './billing-difference.store.js';
import type { Difference } from './difference.js';
import { ledgerDifferences, namedHeads } from './ledger-differences.js';
import { billedTotals, overageDifferences } from './overage-differences.js';
import { subscriptionDifferences } from './subscription-differences.js';

// Two calls a customer, more for long histories: Stripe takes a hundred a second from all servers together.
const customersPerMinute = 200;

/**
 * Compares our books with Stripe's, customer by customer: what its bills and credits have of overage, and which subscriptions there are.
 * Every difference is kept for operators, who may acknowledge it; the findings name those that nobody has.
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
    finding("Stripe's bills and credits have exactly the overage that was put there", customers.length, ofBills),
    finding('every subscription is here what it is in Stripe', customers.length, ofSubscriptions),
    finding('the ledger has each head that an invoice of Stripe names', headCount, ofLedgers),
  ];
}
