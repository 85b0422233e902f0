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
