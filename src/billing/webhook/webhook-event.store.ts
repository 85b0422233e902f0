import type { DataSource } from 'typeorm';
import { StripeEventEntity, type WebhookEventList } from './stripe-event.entity.js';

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

  byId(id: string): Promise<StripeEventEntity> {
    return this.dataSource.getRepository(StripeEventEntity).findOneByOrFail({ id });
  }
}
