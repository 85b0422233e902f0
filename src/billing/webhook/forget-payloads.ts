import type { DataSource } from 'typeorm';
import type { Task } from '../../jobs/task.js';
import { StripeEventEntity } from './stripe-event.entity.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'forget-webhook-payloads': object;
    }
  }
}

const keptDays = 30;

/** Deletes the payloads of settled events after a month: they hold names and addresses, also of people who deleted their account. */
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
