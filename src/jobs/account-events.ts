import type { StatementRunner } from '../database/statement-runner.js';
import { addJob, removeJob } from './add-job.js';

/** What accounts tell the rooms that hold something for them, in the transaction in which it happens. */
declare global {
  namespace GraphileWorker {
    interface Tasks {
      /** Nobody shall pay for an account that they can no longer use, nor cancel. Billing does it. */
      'end-subscriptions': { accountId: string };
    }
  }
}

/** Of an account only one of these waits. */
export const endSubscriptions = (db: StatementRunner, accountId: string, delaySeconds: number): Promise<void> =>
  addJob(db, 'end-subscriptions', { accountId }, { key: keyOf(accountId), delaySeconds });

export const keepSubscriptions = (db: StatementRunner, accountId: string): Promise<void> => removeJob(db, keyOf(accountId));

const keyOf = (accountId: string): string => `end-subscriptions ${accountId}`;
