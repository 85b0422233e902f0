import type { Pool } from 'pg';
import type Stripe from 'stripe';
import { audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { compareBooks } from '../../src/billing/reconcile/compare-with-stripe.js';
import type { Config } from '../../src/core/config.js';
import { plans } from '../../src/ledger/plans.js';
import type { TestDatabase } from './database.js';
import { wrongLedgers } from './wrong-ledgers.js';

/** The findings of our audits, of the books and against Stripe, and of customers' checks of their ledgers. */
export async function auditDifferences(config: Config, pool: Pool): Promise<string[]> {
  const findings = [...(await audit(pool, auditChecks)), ...(await compareBooks(config, pool))];
  return [...findings.flatMap(({ firstBreak }) => firstBreak ?? []), ...(await wrongLedgers(pool))];
}

/**
 * The one equation, by the API of Stripe alone: what a customer's final bills have beside the plan's price, less credits, is the overage that
 * the ledger has. Void and written off bills count: somebody has forgiven them, and what is taken back of them is not given back.
 * @returns what is wrong; null: nothing
 */
export async function inequality(db: TestDatabase, stripe: Stripe, customer: string): Promise<string | null> {
  const bills = await stripe.invoices.list({ customer, limit: 100 }).autoPagingToArray({ limit: 1000 });
  let [billed, forgiven] = [0, 0];
  for (const { id, status } of bills) {
    if (status === 'draft') continue;
    for await (const line of stripe.invoices.listLineItems(id, { limit: 100 })) {
      // What people have put on it by hand is none of ours, and says so.
      if (line.parent?.type === 'invoice_item_details' && line.description?.startsWith('API Records:')) {
        billed += line.amount;
        if (status === 'void' || status === 'uncollectible') forgiven += line.amount;
      }
    }
  }
  let given = 0;
  for await (const { amount, type } of stripe.customers.listBalanceTransactions(customer, { limit: 100 })) {
    if (type === 'adjustment') given -= amount;
  }
  const [kept] = await db.query<{ cents: number }>(
    `select coalesce(sum(-records::bigint * unit_cents), 0)::float as cents from overage_item
      where stripe_customer_id = $1 and state = 'void' and records < 0`,
    [customer],
  );
  if (kept!.cents > forgiven) return `${kept!.cents} cents were not given back, and ${forgiven} were forgiven`;
  const [ledger] = await db.query<{ cents: number }>(
    `select coalesce(sum(e.overage_cents), 0)::float as cents
       from ledger_entry e join subscription s using (balance_id) where s.stripe_customer_id = $1`,
    [customer],
  );
  if (billed - given - kept!.cents === ledger!.cents) return null;
  const records = (cents: number) => cents / plans.paid.overageUnitCents;
  return `${records(billed)} overage records are on final bills and ${records(given)} were given back, the ledger has ${records(ledger!.cents)}`;
}
