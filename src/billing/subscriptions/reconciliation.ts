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
 * Asks Stripe every few hours for each subscription that has not ended and each open checkout, should their events be lost. Any
 * number of servers may run this: each takes what is due.
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

  /** One that fails is due again later, and holds up no other. */
  private async attempt(of: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) =>
      this.parts.log.warn({ error, of }, 'a subscription could not be compared with Stripe; it is tried again'),
    );
  }
}
