import type { StatementRunner } from '../database/statement-runner.js';
import { addJob } from '../jobs/task.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      /** Bills a customer's overage as far as it is due, and comes back when more may be. */
      'bill-overage': { customer: string };
      /** Adds that job for customers whose overage changed without an event of Stripe. */
      'find-overage': object;
      /** Updates our copy of an account's customer and subscriptions from Stripe. */
      'follow-account': { accountId: string };
      /** Reads Stripe's list of events, and adds a job for each that was not delivered. */
      'read-stripe-events': object;
      'handle-stripe-event': { id: string };
    }
  }
}

// After mails, which people wait for.
const options = { isServiceTime: true, priority: 10 };

interface When {
  delaySeconds?: number;
  since?: Date;
  keepsTime?: boolean;
}

/** A customer has one such job, and its jobs run one at a time: customers with the same last letter share a queue. */
export const billSoon = (db: StatementRunner, customer: string, when: When = {}): Promise<void> =>
  addJob(
    db,
    'bill-overage',
    { customer },
    { key: `bill-overage ${customer}`, queue: `bill-overage ${customer.at(-1)}`, ...options, ...when },
  );

export const followSoon = (db: StatementRunner, accountId: string, when: When = {}): Promise<void> =>
  addJob(db, 'follow-account', { accountId }, { key: `follow-account ${accountId}`, ...options, ...when });
