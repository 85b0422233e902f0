import type { StatementRunner } from '../database/statement-runner.js';
import { addJob, removeJob } from './add-job.js';

/** Jobs that accounts add for other rooms. */
declare global {
  namespace GraphileWorker {
    interface Tasks {
      /** Done by billing, so that nobody goes on paying for an account that they can no longer use. */
      'end-subscriptions': { accountId: string };
      /** Done by billing, so that bills and receipts go where the person reads mail now. */
      'update-customer-email': { accountId: string; email: string };
    }
  }
}

/** A ban by mistake that is lifted within this time leaves the subscription as it was. */
export const banConsequencesSeconds = 600;

/** An account has at most one such job: a later call replaces a waiting one. */
export const endSubscriptions = (db: StatementRunner, accountId: string, delaySeconds: number): Promise<void> =>
  addJob(db, 'end-subscriptions', { accountId }, { key: `end-subscriptions ${accountId}`, delaySeconds });

export const keepSubscriptions = (db: StatementRunner, accountId: string): Promise<void> => removeJob(db, `end-subscriptions ${accountId}`);

/** Of two changes the later one counts. */
export const updateCustomerEmail = (db: StatementRunner, accountId: string, email: string): Promise<void> =>
  addJob(db, 'update-customer-email', { accountId, email }, { key: `update-customer-email ${accountId}` });

/** What waits of it holds an address. */
export const forgetCustomerEmail = (db: StatementRunner, accountId: string): Promise<void> =>
  removeJob(db, `update-customer-email ${accountId}`);
