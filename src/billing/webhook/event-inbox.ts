import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { DataSource } from 'typeorm';
import { AppError } from '../../core/errors.js';
import { webhookEvents } from '../../core/metrics.js';
import type { Task } from '../../jobs/task.js';
import { recordAction } from '../../operator-log/record-action.js';
import { messageOf } from '../stripe/stripe-errors.js';
import type { EventHandlers, EventOutcome } from './event-handlers.js';
import type { EventState } from './stripe-event.entity.js';
import { finishEvent, lockEvent, readPayload, recordFailure, storeEvent } from './stripe-event.store.js';

/** Stores and applies each verified event exactly once, however often and on whichever server it arrives. */
export class EventInbox {
  /** @param handlers null without a Stripe key: events are stored for a later replay */
  constructor(
    private readonly dataSource: DataSource,
    private readonly handlers: EventHandlers | null,
    private readonly log: Logger,
  ) {}

  /**
   * Stores and handles an event in one transaction. A failed event stays visible to operators and is handled at its next delivery.
   * @throws AppError internal if handling failed
   */
  async receive(event: Stripe.Event, payload: string): Promise<void> {
    try {
      const outcome = await this.dataSource.transaction(async (manager) => {
        await storeEvent(manager, event, payload);
        // A second server with the same event waits here, then finds it handled.
        if (isFinished(await lockEvent(manager, event.id))) return 'repeated';
        if (!this.handlers) return 'stored';
        const { state, reason } = await this.handlers.apply(manager, event);
        await finishEvent(manager, event.id, state, reason);
        return state;
      });
      webhookEvents.inc({ outcome });
    } catch (cause) {
      webhookEvents.inc({ outcome: 'failed' });
      await recordFailure(this.dataSource.manager, event, payload, messageOf(cause));
      this.log.error({ error: cause, event: event.id, type: event.type }, 'a Stripe event could not be handled');
      throw new AppError('internal', 'The event is stored, but its handling failed. Deliver it again.', { cause });
    }
  }

  /** Handles the events that were listed and not delivered. */
  task(): Task<'handle-stripe-event'> {
    const run = async ({ id }: { id: string }) => {
      const payload = await readPayload(this.dataSource.manager, id);
      await this.receive(JSON.parse(payload) as Stripe.Event, payload);
    };
    return { name: 'handle-stripe-event', timeLimitSeconds: 60, isOutbound: true, run };
  }

  /**
   * Handles a stored event again. Harmless for a handled one, since handlers use Stripe's present state.
   * @param actor the operator's account, or the command line
   * @throws AppError not_found, not_configured, or internal if handling failed
   */
  async replay(id: string, actor: string): Promise<EventOutcome> {
    const payload = await readPayload(this.dataSource.manager, id);
    const { handlers } = this;
    if (!handlers) throw new AppError('not_configured', 'Replaying an event needs STRIPE_SECRET_KEY.');
    const event = JSON.parse(payload) as Stripe.Event;
    try {
      return await this.dataSource.transaction(async (manager) => {
        const before = await lockEvent(manager, id);
        const outcome = await handlers.apply(manager, event);
        const { state, reason } = outcome;
        await finishEvent(manager, id, state, reason);
        const action = { actor, action: 'replay event', target: id, reason: null, before: { state: before }, after: { state } };
        await recordAction(manager, action);
        return outcome;
      });
    } catch (cause) {
      await recordFailure(this.dataSource.manager, event, payload, messageOf(cause));
      throw new AppError('internal', `Event ${id} failed again: ${messageOf(cause)}`, { cause });
    }
  }
}

const isFinished = (state: EventState) => state === 'handled' || state === 'ignored';
