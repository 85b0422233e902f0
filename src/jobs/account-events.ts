import type { StatementRunner } from '../database/statement-runner.js';
import { addJob, removeJob } from './add-job.js';

/** Jobs that accounts add for other rooms, in the transaction that bans or closes an account. */
declare global {
  namespace GraphileWorker {
    interface Tasks {
      /** Done by billing, so that nobody goes on paying for an account that they can no longer use. */
      'end-subscriptions': { accountId: string };
    }
  }
}

/** An account has at most one such job: a later call replaces a waiting one. */
export const endSubscriptions = (db: StatementRunner, accountId: string, delaySeconds: number): Promise<void> =>
  addJob(db, 'end-subscriptions', { accountId }, { key: keyOf(accountId), delaySeconds });

export const keepSubscriptions = (db: StatementRunner, accountId: string): Promise<void> => removeJob(db, keyOf(accountId));

const keyOf = (accountId: string): string => `end-subscriptions ${accountId}`;
