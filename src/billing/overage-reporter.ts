import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import { findMeter, overageEventName } from './catalogue.js';
import { isCustomerDeleted } from './deleted-customer.js';
import type { MeterEvent } from './meter-event.js';
import { claimMeterEvents, markFailed, markSent, markVoid, openMeterEvents, postpone, spanOf } from './meter-event.store.js';
import { meterTotal } from './meter-total.js';
import { waitSeconds } from './retry-wait.js';
import { isBusy, isDuplicateEvent, isRefusal, messageOf } from './stripe-errors.js';

const batchSize = 20;

/**
 * Reports overage to Stripe's meter. The entries of a customer that wait are summed into one event, which is kept before it is sent:
 * after a crash the same one is sent again, and its identifier lets Stripe count it once. Any number of servers may run this.
 */
export class OverageReporter {
  constructor(
    private readonly stripe: Stripe,
    private readonly pool: Pool,
    private readonly log: Logger,
  ) {}

  /**
   * Sends what is due, at most one event a customer.
   * @returns whether there may be more
   */
  async reportDue(): Promise<boolean> {
    await openMeterEvents(this.pool);
    const events = await claimMeterEvents(this.pool, batchSize);
    await Promise.all(events.map((event) => this.report(event).catch((error: unknown) => this.retryLater(event, error))));
    return events.length > 0;
  }

  private async report(event: MeterEvent): Promise<void> {
    if (event.mustAsk) return this.ask(event);
    const wasThere = await this.send(event).then(
      () => false,
      (error: unknown) => {
        if (!isDuplicateEvent(error)) throw error;
        return true;
      },
    );
    await markSent(this.pool, event.identifier, wasThere);
  }

  private async send({ identifier, stripeCustomerId, records, countedAtSeconds }: MeterEvent): Promise<void> {
    await this.stripe.billing.meterEvents.create(
      {
        event_name: overageEventName,
        identifier,
        timestamp: countedAtSeconds,
        payload: { stripe_customer_id: stripeCustomerId, value: String(records) },
      },
      // No retries of the SDK's: it would send an idempotency key with them, under which Stripe repeats even a 500 for a day.
      { maxNetworkRetries: 0 },
    );
  }

  /**
   * After a day Stripe would count the event again, and once its bill is closed nowhere. By then its sums tell whether it has it, unless
   * another event is in them or not: one that was taken back by this one would hide it.
   */
  private async ask({ identifier, stripeCustomerId, records }: MeterEvent): Promise<void> {
    const meter = await findMeter(this.stripe);
    if (!meter) throw new Error('Stripe has no active meter of ours: run stripe setup');
    const span = await spanOf(this.pool, identifier);
    const beyond = (await meterTotal(this.stripe, meter.id, stripeCustomerId, span)) - BigInt(span.records);
    if (!span.isUndecided) {
      if (beyond === BigInt(records)) return markSent(this.pool, identifier, true);
      if (beyond === 0n) return postpone(this.pool, identifier, 0, 'it never reached Stripe', true);
    }
    const error = `it may have reached Stripe, whose meter holds ${beyond} records more than were sent to it for certain`;
    await markFailed(this.pool, identifier, error);
    this.log.error({ event: identifier, error }, 'a meter event needs a decision: compare audit --stripe, then stripe resolve');
  }

  private async retryLater(event: MeterEvent, error: unknown): Promise<void> {
    const { identifier, stripeCustomerId, attempts } = event;
    const message = messageOf(error);
    if (isRefusal(error) && !isBusy(error) && (await isCustomerDeleted(this.stripe, stripeCustomerId))) {
      await markVoid(this.pool, identifier, message);
      this.log.error({ event: identifier, customer: stripeCustomerId }, 'overage of a customer that was deleted in Stripe is not billed');
      return;
    }
    const wait = waitSeconds(attempts, error);
    this.log.warn({ event: identifier, attempts, waitSeconds: wait, error: message }, 'overage not reported yet');
    await postpone(this.pool, identifier, wait, message, !event.wasUncertain && isRefusal(error));
  }
}
