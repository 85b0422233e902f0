import type { Pool } from 'pg';
import type { WebhookEvent, WebhookEventList } from './webhook-event.js';

/** Stripe's deliveries as operators see them; `EventInbox` is what writes them. */
export class WebhookEventStore {
  constructor(private readonly pool: Pool) {}

  async list(limit: number, offset: number): Promise<WebhookEventList> {
    const [{ rows: events }, { rows: count }] = await Promise.all([
      this.pool.query<WebhookEvent>(`${columns} order by (state = 'failed') desc, received_at desc, id limit $1 offset $2`, [
        limit,
        offset,
      ]),
      this.pool.query<{ total: number }>('select count(*)::integer as total from stripe_event'),
    ]);
    return { events, total: count[0]!.total };
  }

  async byId(id: string): Promise<WebhookEvent> {
    const { rows } = await this.pool.query<WebhookEvent>(`${columns} where id = $1`, [id]);
    return rows[0]!;
  }
}

const columns = `
  select id, type, state, created_at as "createdAt", received_at as "receivedAt", handled_at as "handledAt", attempts, error
    from stripe_event`;
