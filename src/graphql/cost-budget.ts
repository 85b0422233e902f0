import { LRUCache } from 'lru-cache';

/** What an account may ask for at once, and how fast that comes back: some 2 % of a core. */
const [most, backPerSecond] = [400_000, 5_000];
const maxAccounts = 10_000;

/** How much each account has asked for lately. */
export class CostBudget {
  private readonly spent = new LRUCache<string, { cost: number; at: number }>({ max: maxAccounts });

  /** Spends what is within the budget. Returns 0 then, else the seconds after which it is. */
  secondsToWait(accountId: string, cost: number, now = seconds()): number {
    const sum = this.spentBy(accountId, now) + cost;
    if (sum > most) return Math.ceil((sum - most) / backPerSecond);
    this.spent.set(accountId, { cost: sum, at: now });
    return 0;
  }

  /** Spends what has been done already, also beyond the budget. */
  charge(accountId: string, cost: number, now = seconds()): void {
    this.spent.set(accountId, { cost: this.spentBy(accountId, now) + cost, at: now });
  }

  /** The seconds after which the account has something to spend again; 0: it has. */
  secondsOverdrawn(accountId: string, now = seconds()): number {
    return Math.ceil(Math.max(0, this.spentBy(accountId, now) - most) / backPerSecond);
  }

  private spentBy(accountId: string, now: number): number {
    const before = this.spent.get(accountId);
    return before ? Math.max(0, before.cost - (now - before.at) * backPerSecond) : 0;
  }
}

const seconds = () => performance.now() / 1000;
