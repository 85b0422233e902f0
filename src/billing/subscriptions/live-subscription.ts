import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AccountSync } from './account-sync.js';
import type { SubscriptionStore } from './subscription.store.js';

// A page that shows a subscription does not wait longer for Stripe than this.
const patienceMs = 4_000;

/** Looks at subscriptions on behalf of their owners, and asks Stripe first where ours may be out of date: an event can be lost. */
export class LiveSubscription {
  private readonly asking = new Map<string, Promise<void>>();

  constructor(
    private readonly subscriptions: SubscriptionStore,
    private readonly accounts: AccountSync,
    private readonly log: Logger,
  ) {}

  /** Asks Stripe unless the account has a paid subscription in its period. What fails or takes too long is left to the next look. */
  async follow(accountId: string): Promise<void> {
    if (await this.subscriptions.hasPaidPeriod(accountId)) return;
    const asked = this.asking.get(accountId) ?? this.ask(accountId);
    const stop = new AbortController();
    await Promise.race([asked, sleep(patienceMs, undefined, { signal: stop.signal }).catch(() => undefined)]);
    stop.abort();
  }

  /** Those who look at the same time share one question. */
  private ask(accountId: string): Promise<void> {
    const asked = this.accounts
      .follow(accountId)
      .catch((error: unknown) => this.log.warn({ error, account: accountId }, 'Stripe could not be asked what an account has paid'))
      .finally(() => this.asking.delete(accountId));
    this.asking.set(accountId, asked);
    return asked;
  }
}
