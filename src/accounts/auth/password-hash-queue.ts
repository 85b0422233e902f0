import { LRUCache } from 'lru-cache';
import { AppError } from '../../core/errors.js';

/** The sender of a password to hash. */
export interface HashRequest {
  /** The account named in the request, which may not exist. */
  account: string;
  /** The browser or address that sent the request. */
  source: string;
  hasLeft(): boolean;
}

interface Waiting extends HashRequest {
  /** Weighted count of earlier requests of the same account and source. The lowest goes next. */
  rank: number;
  start(): Promise<void>;
  reject(): void;
}

// scrypt takes 32 MB and about 60 ms of a core. Two at a time leave two of libuv's four threads, and most connections, to other requests.
const atOnce = 2;
// Hashing this many passwords takes about ten seconds. A client further back would give up before its turn.
const maxWaiting = 200;
// Bounds memory: during a flood with a new account in each request the queue is never empty, so the counts are never cleared.
const maxRemembered = 10_000;
// Other people behind a flooding address share its source but not its account.
const weightOfAccount = 4;

/**
 * The queue of passwords to hash. Accounts and sources with few requests go before those with many. When the queue is full, a request of
 * the source with the most requests is rejected. Requests of disconnected clients are skipped.
 */
export class PasswordHashQueue {
  private waiting: Waiting[] = [];
  private underWay = 0;
  private readonly counts = new LRUCache<string, number>({ max: maxRemembered });

  /** @throws AppError `unavailable` if too many requests wait, or the client has disconnected */
  run<T>(request: HashRequest, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.waiting.push({
        ...request,
        rank: weightOfAccount * this.countRequest(`account ${request.account}`) + this.countRequest(`source ${request.source}`),
        start: () => work().then(resolve, reject),
        reject: () =>
          reject(new AppError('unavailable', 'Too many people are signing in at once. Try again in a moment.', { retryAfterSeconds: 5 })),
      });
      if (this.waiting.length > maxWaiting) this.rejectOne();
      this.next();
    });
  }

  private countRequest(key: string): number {
    const count = this.counts.get(key) ?? 0;
    this.counts.set(key, count + 1);
    return count;
  }

  private next(): void {
    while (this.underWay < atOnce && this.waiting.length > 0) {
      const first = this.waiting.reduce((one, other) => (other.rank < one.rank ? other : one));
      this.remove(first);
      if (first.hasLeft()) {
        first.reject();
        continue;
      }
      this.underWay++;
      void first.start().finally(() => {
        this.underWay--;
        this.next();
      });
    }
    if (this.underWay === 0) this.counts.clear();
  }

  /** Rejects a disconnected client, or a random one of the source with the most requests, so that a flood cannot choose who stays. */
  private rejectOne(): void {
    const ofSource = new Map<string, number>();
    for (const { source } of this.waiting) ofSource.set(source, (ofSource.get(source) ?? 0) + 1);
    const most = Math.max(...ofSource.values());
    const left = this.waiting.filter((waiting) => waiting.hasLeft());
    const candidates = left.length > 0 ? left : this.waiting.filter(({ source }) => ofSource.get(source) === most);
    const victim = candidates[Math.floor(Math.random() * candidates.length)]!;
    this.remove(victim);
    victim.reject();
  }

  private remove(waiting: Waiting): void {
    this.waiting.splice(this.waiting.indexOf(waiting), 1);
  }
}
