import type { Pool } from 'pg';
import type { Config } from '../../core/config.js';
import { AppError } from '../../core/errors.js';
import type { AuditFinding } from '../../ledger/books-check.js';
import { openStripe } from '../stripe/stripe-client.js';
import { compareWithStripe } from './compare-with-stripe.js';

/**
 * What `audit --stripe` compares.
 * @param pauseMs between two customers
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
