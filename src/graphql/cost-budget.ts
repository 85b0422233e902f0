import { LRUCache } from 'lru-cache';

/** What an account may ask for at once, and how fast that comes back: some 2 % of a core. */
const [most, backPerSecond] = [400_000, 5_000];
const maxAccounts = 10_000;

/** How much each account has asked for lately. */
export class CostBudget {
  private readonly spent = new LRUCache<string, { cost: number; at: number }>({ max: maxAccounts });

  /** Spends what is within the budget. Returns 0 then, else the seconds after which it is. */
  secondsToWait(accountId: string, cost: number, now = performance.now() / 1000): number {
    const before = this.spent.get(accountId) ?? { cost: 0, at: now };
    const sum = Math.max(0, before.cost - (now - before.at) * backPerSecond) + cost;
    if (sum > most) return Math.ceil((sum - most) / backPerSecond);
    this.spent.set(accountId, { cost: sum, at: now });
    return 0;
  }
}
