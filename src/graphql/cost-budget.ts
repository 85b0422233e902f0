import { LRUCache } from 'lru-cache';

/** The cost that an account may spend at once, and how fast it is regained: some 2 % of a core. */
const [most, backPerSecond] = [400_000, 5_000];
const maxAccounts = 10_000;

/** The cost that each account has spent lately. */
export class CostBudget {
  private readonly spent = new LRUCache<string, { cost: number; at: number }>({ max: maxAccounts });

  /** Spends a cost within the budget and returns 0; otherwise returns the seconds to wait. */
  secondsToWait(accountId: string, cost: number, now = seconds()): number {
    const sum = this.spentBy(accountId, now) + cost;
    if (sum > most) return Math.ceil((sum - most) / backPerSecond);
    this.spent.set(accountId, { cost: sum, at: now });
    return 0;
  }

  /** Charges work that is done already, even beyond the budget. */
  charge(accountId: string, cost: number, now = seconds()): void {
    this.spent.set(accountId, { cost: this.spentBy(accountId, now) + cost, at: now });
  }

  /** The seconds until the account is within its budget; 0: it is. */
  secondsOverdrawn(accountId: string, now = seconds()): number {
    return Math.ceil(Math.max(0, this.spentBy(accountId, now) - most) / backPerSecond);
  }

  private spentBy(accountId: string, now: number): number {
    const before = this.spent.get(accountId);
    return before ? Math.max(0, before.cost - (now - before.at) * backPerSecond) : 0;
  }
}

const seconds = () => performance.now() / 1000;
