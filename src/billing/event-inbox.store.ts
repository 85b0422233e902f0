import type { Pool, PoolClient } from 'pg';
import type Stripe from 'stripe';
import { AppError } from '../errors.js';

export type EventState = 'stored' | 'handled' | 'ignored' | 'failed';

/** Keeps the event unless it is here already. */
export async function storeEvent(tx: PoolClient, event: Stripe.Event, payload: string): Promise<void> {
  await tx.query(
    `insert into stripe_event (id, type, created_at, payload)
     values ($1, $2, coalesce(to_timestamp($3), service_now()), $4)
     on conflict (id) do nothing`,
    [event.id, event.type, createdSeconds(event), payload],
  );
}

export async function lockEvent(tx: PoolClient, id: string): Promise<EventState> {
  const { rows } = await tx.query<{ state: EventState }>('select state from stripe_event where id = $1 for update', [id]);
  return rows[0]!.state;
}

export async function settleEvent(tx: PoolClient, id: string, state: 'handled' | 'ignored'): Promise<void> {
  await tx.query(
    `update stripe_event
        set state = $2, handled_at = service_now(), attempts = attempts + 1, error = null
      where id = $1`,
    [id, state],
  );
}

/** Its transaction is rolled back, the event itself must not be lost with it. What another server has settled stays settled. */
export async function recordFailure(pool: Pool, event: Stripe.Event, payload: string, error: string): Promise<void> {
  await pool.query(
    `insert into stripe_event (id, type, created_at, payload, state, attempts, error)
     values ($1, $2, coalesce(to_timestamp($3), service_now()), $4, 'failed', 1, $5)
     on conflict (id) do update
        set state = 'failed', attempts = stripe_event.attempts + 1, error = excluded.error
      where stripe_event.state not in ('handled', 'ignored')`,
    [event.id, event.type, createdSeconds(event), payload, error],
  );
}

/** @throws AppError not_found for an unknown event, conflict for a settled one whose content is no longer kept */
export async function readPayload(pool: Pool, id: string): Promise<string> {
  const { rows } = await pool.query<{ payload: string | null }>('select payload::text from stripe_event where id = $1', [id]);
  if (!rows[0]) throw new AppError('not_found', `No event ${id} was received.`);
  if (rows[0].payload === null) throw new AppError('conflict', `Event ${id} is settled, and its content is no longer kept.`);
  return rows[0].payload;
}

const createdSeconds = (event: Stripe.Event): number | null => (Number.isFinite(event.created) ? event.created : null);
