import { LRUCache } from 'lru-cache';
import { AppError } from '../../core/errors.js';

/** For whom a password is hashed. */
export interface Applicant {
  /** Whose password it is said to be. */
  account: string;
  /** The browser or address that sent it. */
  source: string;
  hasLeft(): boolean;
}

interface Waiting extends Applicant {
  /** How many of the same account and of the same source have come before: those with the fewest are next. */
  turn: number;
  start(): Promise<void>;
  turnAway(): void;
}

// scrypt takes 32 MB and some 60 ms of a core. Two at a time leave two of libuv's four threads, and most connections, to everybody else.
const atOnce = 2;
// Hashing the passwords of this many takes some ten seconds; another one would give up before its turn.
const maxWaiting = 200;
// Of a flood that names a new account each time, the line is never empty, and would remember them all.
const maxRemembered = 10_000;
// Neighbours of a flood share its source, but not its account.
const weightOfAccount = 4;

/**
 * The line in which passwords wait to be hashed. Who sends many, for one account or from one source, waits behind everybody who sends
 * few, and is the one who is turned away when the line is full. Who has left is passed over.
 */
export class HashingLine {
  private waiting: Waiting[] = [];
  private underWay = 0;
  private readonly turns = new LRUCache<string, number>({ max: maxRemembered });

  /** @throws AppError `unavailable` when too many wait, or the applicant has left */
  run<T>(applicant: Applicant, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.waiting.push({
        ...applicant,
        turn: weightOfAccount * this.nextTurn(`account ${applicant.account}`) + this.nextTurn(`source ${applicant.source}`),
        start: () => work().then(resolve, reject),
        turnAway: () =>
          reject(new AppError('unavailable', 'Too many people are signing in at once. Try again in a moment.', { retryAfterSeconds: 5 })),
      });
      if (this.waiting.length > maxWaiting) this.turnOneAway();
      this.next();
    });
  }

  private nextTurn(key: string): number {
    const turn = this.turns.get(key) ?? 0;
    this.turns.set(key, turn + 1);
    return turn;
  }

  private next(): void {
    while (this.underWay < atOnce && this.waiting.length > 0) {
      const first = this.waiting.reduce((one, other) => (other.turn < one.turn ? other : one));
      this.remove(first);
      if (first.hasLeft()) {
        first.turnAway();
        continue;
      }
      this.underWay++;
      void first.start().finally(() => {
        this.underWay--;
        this.next();
      });
    }
    if (this.underWay === 0) this.turns.clear();
  }

  /** Who has left already; else one of the source that sent most, any of them, so that a flood does not pick who of its neighbours stays. */
  private turnOneAway(): void {
    const ofSource = new Map<string, number>();
    for (const { source } of this.waiting) ofSource.set(source, (ofSource.get(source) ?? 0) + 1);
    const most = Math.max(...ofSource.values());
    const left = this.waiting.filter((waiting) => waiting.hasLeft());
    const candidates = left.length > 0 ? left : this.waiting.filter(({ source }) => ofSource.get(source) === most);
    const unlucky = candidates[Math.floor(Math.random() * candidates.length)]!;
    this.remove(unlucky);
    unlucky.turnAway();
  }

  private remove(waiting: Waiting): void {
    this.waiting.splice(this.waiting.indexOf(waiting), 1);
  }
}
