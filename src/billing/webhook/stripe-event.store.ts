import type { Pool } from 'pg';
import type Stripe from 'stripe';
import type { DataSource, EntityManager } from 'typeorm';
import { AppError } from '../../core/errors.js';
import { hasText } from '../../core/parameters.js';
import { inTransaction } from '../../database/statement-runner.js';
import { addJob, type Task } from '../../jobs/task.js';
import { type EventState, StripeEventEntity, type WebhookEventList, type WebhookEventsArgs } from './stripe-event.entity.js';

/** Stores the event unless it exists. In SQL, since TypeORM would parse and reserialize the signed payload. */
export async function storeEvent(manager: EntityManager, event: Stripe.Event, payload: string): Promise<void> {
  await manager.query(
    `insert into stripe_event (id, type, created_at, payload)
     values ($1, $2, coalesce(to_timestamp($3), service_now()), $4)
     on conflict (id) do nothing`,
    [event.id, event.type, event.created ?? null, payload],
  );
}

/** Stores those of Stripe's list that are new, each with a job that handles it. @returns how many */
export async function storeListedEvents(pool: Pool, events: Stripe.Event[]): Promise<number> {
  return inTransaction(pool, 'begin', async (db) => {
    const { rows } = await db.query<{ id: string }>(
      `insert into stripe_event (id, type, created_at, payload)
       select e ->> 'id', e ->> 'type', to_timestamp((e ->> 'created')::float), e from json_array_elements($1) e
           on conflict (id) do nothing
       returning id`,
      [JSON.stringify(events)],
    );
    for (const { id } of rows) await addJob(db, 'handle-stripe-event', { id }, { key: `handle-stripe-event ${id}` });
    return rows.length;
  });
}

export async function lockEvent(manager: EntityManager, id: string): Promise<EventState> {
  const { state } = await manager.findOneOrFail(StripeEventEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
  return state;
}

/** @param reason why it was ignored, if not for its type */
export async function finishEvent(manager: EntityManager, id: string, state: 'handled' | 'ignored', reason: string | null): Promise<void> {
  const to = { state, handledAt: () => 'service_now()', attempts: () => 'attempts + 1', error: reason };
  await manager.update(StripeEventEntity, { id }, to);
}

/** Stores the failure after the event's transaction was rolled back, unless another server has handled the event. */
export async function recordFailure(manager: EntityManager, event: Stripe.Event, payload: string, error: string): Promise<void> {
  await manager.query(
    `insert into stripe_event (id, type, created_at, payload, state, attempts, error)
     values ($1, $2, coalesce(to_timestamp($3), service_now()), $4, 'failed', 1, $5)
     on conflict (id) do update
        set state = 'failed', attempts = stripe_event.attempts + 1, error = excluded.error
      where stripe_event.state not in ('handled', 'ignored')`,
    [event.id, event.type, event.created ?? null, payload, error],
  );
}

/** @throws AppError not_found for an unknown event, conflict for a handled one whose payload was deleted */
export async function readPayload(manager: EntityManager, id: string): Promise<string> {
  const event = await manager
    .createQueryBuilder(StripeEventEntity, 'e')
    .select('cast(e.payload as text)', 'payload')
    .where('e.id = :id', { id })
    .getRawOne<{ payload: string | null }>();
  if (!event) throw new AppError('not_found', `No event ${id} was received.`);
  if (event.payload === null) throw new AppError('conflict', `Event ${id} was handled, and its content was deleted.`);
  return event.payload;
}

/** Webhook events as operators see them. */
export class WebhookEventStore {
  constructor(private readonly dataSource: DataSource) {}

  /** The text is found in ids, types and errors. */
  async list({ search, state, limit, offset }: WebhookEventsArgs): Promise<WebhookEventList> {
    const [events, total] = await this.dataSource
      .getRepository(StripeEventEntity)
      .createQueryBuilder('e')
      .where(state ? 'e.state = :state' : 'true', { state })
      .andWhere(search ? hasText(':search', 'e.id', 'e.type', 'e.error') : 'true', { search })
      .orderBy(`(e.state = 'failed')`, 'DESC')
      .addOrderBy('e.receivedAt', 'DESC')
      .addOrderBy('e.id')
      .limit(limit)
      .offset(offset)
      .getManyAndCount();
    return { events, total };
  }

  byId(id: string): Promise<StripeEventEntity> {
    return this.dataSource.getRepository(StripeEventEntity).findOneByOrFail({ id });
  }
}

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'forget-webhook-payloads': object;
    }
  }
}

const keptDays = 30;

/** Deletes payloads of handled events after a month: they contain names and addresses, even of deleted accounts. */
export const forgetPayloads = (dataSource: DataSource): Task<'forget-webhook-payloads'> => ({
  name: 'forget-webhook-payloads',
  timeLimitSeconds: 60,
  run: async () => {
    await dataSource
      .createQueryBuilder()
      .update(StripeEventEntity)
      .set({ payload: null })
      .where(`state in ('handled', 'ignored') and payload is not null`)
      .andWhere('received_at < service_now() - make_interval(days => :keptDays)', { keptDays })
      .execute();
  },
});
