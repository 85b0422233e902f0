import type { DataSource } from 'typeorm';
import { StripeEventEntity, type WebhookEventList, type WebhookEventsArgs } from './stripe-event.entity.js';

/** Webhook events as operators see them. */
export class WebhookEventStore {
  constructor(private readonly dataSource: DataSource) {}

  /** The text is found in ids, types and errors. */
  async list({ search, state, limit, offset }: WebhookEventsArgs): Promise<WebhookEventList> {
    const [events, total] = await this.dataSource
      .getRepository(StripeEventEntity)
      .createQueryBuilder('e')
      .where(state ? 'e.state = :state' : 'true', { state })
      .andWhere(search ? `position(lower(:search) in lower(concat_ws(' ', e.id, e.type, e.error))) > 0` : 'true', { search })
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
