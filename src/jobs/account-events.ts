import type { StatementRunner } from '../database/statement-runner.js';
import { addJob, removeJob } from './task.js';

/** Jobs that `accounts` adds and rooms above it run. */
declare global {
  namespace GraphileWorker {
    interface Tasks {
      /** Cancels the subscriptions of a closed account, so that its owner stops paying for it. */
      'end-subscriptions': { accountId: string };
      /** Updates the customer's address in Stripe, which sends invoices and receipts there. */
      'update-customer-email': { accountId: string; email: string };
      /** Deletes the recorded calls of a deleted account. */
      'forget-requests': { accountId: string };
    }
  }
}

/** A ban lifted within this time leaves the subscription unchanged. */
export const banConsequencesSeconds = 600;

/** An account has at most one such job. A later call replaces a waiting one. */
export const endSubscriptions = (db: StatementRunner, accountId: string, delaySeconds: number): Promise<void> =>
  addJob(db, 'end-subscriptions', { accountId }, { key: `end-subscriptions ${accountId}`, delaySeconds });

export const keepSubscriptions = (db: StatementRunner, accountId: string): Promise<void> => removeJob(db, `end-subscriptions ${accountId}`);

/** A later change replaces a waiting one. */
export const updateCustomerEmail = (db: StatementRunner, accountId: string, email: string): Promise<void> =>
  addJob(db, 'update-customer-email', { accountId, email }, { key: `update-customer-email ${accountId}` });

/** Removes a waiting job, because its payload has the address. */
export const forgetCustomerEmail = (db: StatementRunner, accountId: string): Promise<void> =>
  removeJob(db, `update-customer-email ${accountId}`);

export const forgetRequestsOf = (db: StatementRunner, accountId: string): Promise<void> => addJob(db, 'forget-requests', { accountId });
