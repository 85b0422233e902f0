import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AccountSync } from './account-sync.js';
import type { SubscriptionStore } from './subscription.store.js';

// The longest that a page waits for Stripe.
const patienceMs = 4_000;

/** Before showing a subscription that may be unpaid, fetches it from Stripe: an event can be lost. */
export class LiveSubscription {
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly subscriptions: SubscriptionStore,
    private readonly accounts: AccountSync,
    private readonly log: Logger,
  ) {}

  /** Fetches unless the account has a paid period. A failure or timeout is left to the next call. */
  async follow(accountId: string): Promise<void> {
    if (await this.subscriptions.hasPaidPeriod(accountId)) return;
    const fetched = this.running.get(accountId) ?? this.fetch(accountId);
    const stop = new AbortController();
    await Promise.race([fetched, sleep(patienceMs, undefined, { signal: stop.signal }).catch(() => undefined)]);
    stop.abort();
  }

  /** Concurrent calls share one fetch. */
  private fetch(accountId: string): Promise<void> {
    const fetched = this.accounts
      .follow(accountId)
      .catch((error: unknown) => this.log.warn({ error, account: accountId }, 'an account could not be fetched from Stripe'))
      .finally(() => this.running.delete(accountId));
    this.running.set(accountId, fetched);
    return fetched;
  }
}
