import type { Pool } from 'pg';
import type Stripe from 'stripe';
import type { Config } from '../../core/config.js';
import { AppError } from '../../core/errors.js';
import type { AuditFinding } from '../../ledger/books-check.js';
import { openStripe, sharedPace } from '../stripe/stripe-client.js';
import { messageOf } from '../stripe/stripe-errors.js';
import { billDifferences, ledgerDifferences, namedHeads } from './bill-differences.js';
import { type ComparedCustomer, comparisonState, customersToCompare, replaceDifferences, replaceOfCustomer } from './billing-difference.js';
import { subscriptionDifferences } from './subscription-differences.js';

// So often a customer fails in a row, and it is Stripe.
const mostFailures = 5;

interface Share {
  /** Only customers whose last comparison is older than so many days. Default: all. */
  afterDays?: number;
  /** After this time the rest is left to the next comparison. */
  limitMs?: number;
  signal?: AbortSignal;
}

/**
 * Compares our books with Stripe, customer by customer, those first whose comparison is the oldest. It stores each one's differences at once,
 * for operators, who may acknowledge them. The findings name the unacknowledged ones of all comparisons.
 */
export async function compareWithStripe(stripe: Stripe, pool: Pool, share: Share = {}): Promise<AuditFinding[]> {
  const { afterDays = 0, limitMs = Number.POSITIVE_INFINITY, signal } = share;
  await replaceDifferences(pool, 'subscription', await subscriptionDifferences(stripe, pool));
  const endsAtMs = performance.now() + limitMs;
  let failures = 0;
  for (const customer of await customersToCompare(pool, afterDays)) {
    if (signal?.aborted || performance.now() > endsAtMs) break;
    try {
      await compareCustomer(stripe, pool, customer);
      failures = 0;
    } catch (error) {
      if (++failures === mostFailures) throw error;
      // The others come first the next time.
      const text = `customer ${customer.customer} could not be compared: ${messageOf(error)}`;
      await replaceOfCustomer(pool, customer, {
        bills: [{ id: `${customer.customer} not compared`, accountId: customer.accountId, text }],
      });
    }
  }
  const { customers, heads, oldest, texts } = await comparisonState(pool);
  const finding = (invariant: string, checked: number, firstBreak: string | null | undefined): AuditFinding => ({
    invariant,
    checked,
    firstBreak: firstBreak || null,
  });
  return [
    finding("Stripe's invoices and credits have each overage item once, and nothing else of ours", customers, texts.bills),
    finding('every subscription is here what it is in Stripe', customers, texts.subscription),
    finding('the ledger has each head that an invoice of Stripe names', heads, texts.ledger),
    finding('every customer was compared with Stripe within two weeks', customers, oldest && `the oldest comparison is of ${oldest}`),
  ];
}

async function compareCustomer(stripe: Stripe, pool: Pool, customer: ComparedCustomer): Promise<void> {
  const { differences, invoices } = await billDifferences(stripe, pool, customer);
  const named = namedHeads(invoices);
  const ledger = await ledgerDifferences(pool, customer.accountId, named);
  await replaceOfCustomer(pool, customer, { bills: differences, ledger }, named.length);
}

/**
 * The same for `audit --stripe`, without a limit.
 * @throws AppError not_configured without a Stripe key
 */
export async function compareBooks(config: Pick<Config, 'stripeSecretKey' | 'stripeApiUrl'>, pool: Pool): Promise<AuditFinding[]> {
  const stripe = openStripe(config, { pace: sharedPace(pool) });
  if (!stripe) throw new AppError('not_configured', 'Comparing with Stripe needs STRIPE_SECRET_KEY.');
  return compareWithStripe(stripe, pool);
}
