import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import type { AccountSync } from './account-sync.js';
import type { CustomerStore } from './customer.store.js';
import type { SubscriptionSync } from './subscription-sync.js';
import { claimDue } from './subscription-sync.store.js';

const batchSize = 10;

interface ReconciliationParts {
  dataSource: DataSource;
  sync: SubscriptionSync;
  accounts: AccountSync;
  customers: CustomerStore;
  log: Logger;
}

/**
 * Follows each unended subscription every few hours and each open checkout hourly, in case events are lost. Any number of servers may run this:
 * each claims what is due.
 */
export class Reconciliation {
  constructor(private readonly parts: ReconciliationParts) {}

  /** @returns whether there may be more */
  async followDue(): Promise<boolean> {
    const { dataSource, sync, accounts, customers } = this.parts;
    const subscriptions = await claimDue(dataSource.manager, batchSize);
    for (const id of subscriptions) await this.attempt(id, () => dataSource.transaction((manager) => sync.follow(manager, id)));
    const checkouts = await customers.claimDue(batchSize);
    for (const id of checkouts) await this.attempt(id, () => accounts.follow(id));
    return subscriptions.length === batchSize || checkouts.length === batchSize;
  }

  /** A failed one is due again later, and does not block the others. */
  private async attempt(of: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) =>
      this.parts.log.warn({ error, of }, 'a subscription could not be fetched from Stripe; it will be retried'),
    );
  }
}
