import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { Task } from '../../jobs/task.js';
import { followSoon } from '../billing-jobs.js';
import { handledEventTypes } from './event-handlers.js';
import { storeListedEvents } from './stripe-event.store.js';

// Stripe may list an event some minutes late.
const overlapSeconds = 600;
const pageSize = 100;

/**
 * Reads Stripe's list of events, each minute one server. What no delivery has brought is stored with a job that handles it, so a lost event
 * costs a minute. Stripe lists events for 30 days: after a longer gap each customer is followed once, over a day.
 */
export const readEvents = (stripe: Stripe, pool: Pool, log: Logger): Task<'read-stripe-events'> => ({
  name: 'read-stripe-events',
  timeLimitSeconds: 600,
  isOutbound: true,
  run: async () => {
    const { untilSeconds, hasGap } = await findPlace(pool);
    if (hasGap) await followAll(pool, log);
    let newestSeconds = 0;
    let page: Stripe.Event[] = [];
    const store = async () => {
      const lost = page.length === 0 ? 0 : await storeListedEvents(pool, page);
      if (lost > 0) log.warn({ lost }, 'Stripe lists events that were not delivered; they are handled now');
      page = [];
    };
    const listed = { types: handledEventTypes, created: { gte: untilSeconds - overlapSeconds }, limit: pageSize };
    for await (const event of stripe.events.list(listed)) {
      newestSeconds = Math.max(newestSeconds, event.created);
      if (!event.account) page.push(event);
      if (page.length === pageSize) await store();
    }
    await store();
    await pool.query('update stripe_events_read set until = greatest(until, to_timestamp($1)), at = service_now()', [newestSeconds]);
  },
});

/** How far the list was read; at first nowhere, since nobody is a customer yet. */
async function findPlace(pool: Pool): Promise<{ untilSeconds: number; hasGap: boolean }> {
  await pool.query('insert into stripe_events_read (until, at) values (service_now(), service_now()) on conflict do nothing');
  const { rows } = await pool.query<{ untilSeconds: number; hasGap: boolean }>(
    `select floor(extract(epoch from until))::float as "untilSeconds", at < service_now() - interval '29 days' as "hasGap"
       from stripe_events_read`,
  );
  return rows[0]!;
}

async function followAll(pool: Pool, log: Logger): Promise<void> {
  log.warn('the gap in Stripe’s events is too long: all customers are followed within a day');
  const { rows } = await pool.query<{ id: string }>('select account_id as id from billing_customer where stripe_customer_id is not null');
  const daySeconds = 24 * 3600;
  for (const [index, { id }] of rows.entries()) await followSoon(pool, id, { delaySeconds: (daySeconds * index) / rows.length });
}
