import type { DataSource } from 'typeorm';
import { StripeEventEntity } from './stripe-event.entity.js';
import type { WebhookEvent, WebhookEventList } from './webhook-event.js';

/** Webhook events as operators see them. */
export class WebhookEventStore {
  constructor(private readonly dataSource: DataSource) {}

  async list(limit: number, offset: number): Promise<WebhookEventList> {
    const [events, total] = await this.dataSource
      .getRepository(StripeEventEntity)
      .createQueryBuilder('e')
      .orderBy(`(e.state = 'failed')`, 'DESC')
      .addOrderBy('e.receivedAt', 'DESC')
      .addOrderBy('e.id')
      .limit(limit)
      .offset(offset)
      .getManyAndCount();
    return { events, total };
  }

  byId(id: string): Promise<WebhookEvent> {
    return this.dataSource.getRepository(StripeEventEntity).findOneByOrFail({ id });
  }
}
