import type { Pool } from 'pg';
import type { Logger } from 'pino';
import Stripe from 'stripe';
import { overageEventName } from './catalogue.js';
import { cancelUnreported, claimReports, giveUpUncertain, markSent, type OverageReport, postpone } from './overage-report.store.js';

const batchSize = 20;
// Retries come well within the day in which Stripe knows its duplicates.
const firstWaitSeconds = 2;
const maxWaitSeconds = 3_600;

/**
 * Reports overage to Stripe's meter from the outbox that `append_entry` fills. An attempt is recorded before it is made, and its
 * identifier is the ledger entry, so trying again after a crash counts nothing twice. Any number of servers may run this.
 */
export class OverageReporter {
  constructor(
    private readonly stripe: Stripe,
    private readonly pool: Pool,
    private readonly log: Logger,
  ) {}

  /**
   * Sends one batch of the reports that are due.
   * @returns whether there may be more
   */
  async reportDue(): Promise<boolean> {
    await cancelUnreported(this.pool);
    const givenUp = await giveUpUncertain(this.pool);
    if (givenUp > 0) this.log.error({ reports: givenUp }, 'overage reports need a decision: see audit --stripe');
    const reports = await claimReports(this.pool, batchSize);
    await Promise.all(reports.map((report) => this.report(report)));
    return reports.length === batchSize;
  }

  private async report(report: OverageReport): Promise<void> {
    try {
      await this.send(report);
    } catch (error) {
      if (!isDuplicateReport(error)) return this.retryLater(report, error);
    }
    await markSent(this.pool, report);
  }

  private async send({ entryId, stripeCustomerId, records, countedAtSeconds, cancels }: OverageReport): Promise<void> {
    if (cancels) {
      await this.stripe.billing.meterEventAdjustments.create({
        event_name: overageEventName,
        type: 'cancel',
        cancel: { identifier: cancels },
      });
      return;
    }
    // Without an idempotency key: Stripe would repeat even a 500 under it for a day. The identifier prevents duplicates instead.
    await this.stripe.billing.meterEvents.create({
      event_name: overageEventName,
      identifier: entryId,
      timestamp: countedAtSeconds,
      payload: { stripe_customer_id: stripeCustomerId, value: String(records) },
    });
  }

  private async retryLater(report: OverageReport, error: unknown): Promise<void> {
    const waitSeconds = Math.min(maxWaitSeconds, firstWaitSeconds * 2 ** Math.min(report.attempts - 1, 20));
    const message = error instanceof Error ? error.message : String(error);
    this.log.warn({ entry: report.entryId, attempts: report.attempts, waitSeconds, error: message }, 'overage not reported yet');
    await postpone(this.pool, report, waitSeconds, message, !report.wasUncertain && isRefusal(error));
  }
}

/** Stripe refuses an identifier that it knows, and a cancellation made before: proof that the attempt before arrived. */
function isDuplicateReport(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError && /already exists with identifier|already (been )?cancel/i.test(error.message)
  );
}

/** Whether Stripe refused the event for certain. After a broken connection or a 5xx it may have taken it. */
function isRefusal(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.statusCode !== undefined && error.statusCode < 500;
}
