import { DatabaseError, type Pool } from 'pg';
import type { Logger } from 'pino';
import Stripe from 'stripe';
import {
  type BillingCredit,
  claimBillingCredits,
  customersInTurn,
  openBillingCredits,
  postponeBillingCredit,
  settleBillingCredit,
} from './billing-credit.store.js';
import { isCustomerDeleted } from './deleted-customer.js';
import { waitSeconds } from './retry-wait.js';
import { messageOf } from './stripe-errors.js';

/** Of customers whose reads were taken back, how many are looked at in one go. */
export const customersAtOnce = 100;
const batchSize = 20;

/** Gives back what was taken back too late for any bill: as a credit that Stripe uses up with the customer's next bills. */
export class CreditGiver {
  constructor(
    private readonly stripe: Stripe,
    private readonly pool: Pool,
    private readonly log: Logger,
  ) {}

  /** @returns whether there may be more */
  async giveDue(): Promise<boolean> {
    for (const customer of await customersInTurn(this.pool, customersAtOnce)) {
      await openBillingCredits(this.pool, customer).catch((error: unknown) => {
        if (!(error instanceof DatabaseError)) throw error; // nobody's own: Postgres is away
        this.log.error({ customer, error }, 'could not tell what a customer gets back; it is tried again in turn');
      });
    }
    const credits = await claimBillingCredits(this.pool, batchSize);
    for (const credit of credits) await this.give(credit).catch((error: unknown) => this.retryLater(credit, error));
    return credits.length === batchSize;
  }

  private async give(credit: BillingCredit): Promise<void> {
    const { id, stripeCustomerId, records, amountCents, attempts, failures } = credit;
    if (attempts === 1 || !(await this.isGiven(credit))) {
      await this.stripe.customers.createBalanceTransaction(
        stripeCustomerId,
        { amount: -amountCents, currency: 'usd', description: `${records} records that were not delivered`, metadata: { credit: id } },
        { idempotencyKey: `credit ${id} ${failures}`, maxNetworkRetries: 0 },
      );
    }
    await settleBillingCredit(this.pool, id, 'given', null);
  }

  /** An attempt whose answer got lost, or was a 500, may have been carried out. */
  private async isGiven({ id, stripeCustomerId }: BillingCredit): Promise<boolean> {
    for await (const { metadata } of this.stripe.customers.listBalanceTransactions(stripeCustomerId, { limit: 100 })) {
      if (metadata?.credit === id) return true;
    }
    return false;
  }

  private async retryLater(credit: BillingCredit, error: unknown): Promise<void> {
    const { id, stripeCustomerId, attempts } = credit;
    const message = messageOf(error);
    const status = error instanceof Stripe.errors.StripeError ? (error.statusCode ?? 0) : 0;
    if (status === 404 && (await isCustomerDeleted(this.stripe, stripeCustomerId))) {
      this.log.error({ credit: id, customer: stripeCustomerId }, 'a credit cannot be given to a customer that was deleted in Stripe');
      return settleBillingCredit(this.pool, id, 'void', message);
    }
    const wait = waitSeconds(attempts, error);
    this.log.warn({ credit: id, attempts, waitSeconds: wait, error: message }, 'credit not given yet');
    await postponeBillingCredit(this.pool, id, wait, message, status >= 500);
  }
}
