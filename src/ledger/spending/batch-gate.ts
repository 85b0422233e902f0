import { setImmediate as nextTurn } from 'node:timers/promises';

const maxStatements = 2;
const slowMs = 50;

/**
 * When the next batch of what waits goes to the database. One statement is under way at a time, so that what comes meanwhile goes
 * together: two half batches cost server and database more than a whole one. A second goes beside one that is slow, or when a whole
 * batch waits.
 *
 * A gate may follow another: while that one's statement is under way it stays closed, under the same two exceptions. Spends follow
 * claims: what waits when a claim has ended is sent before the answers that it set free are written, and no sooner, so Postgres spends
 * while the server writes.
 */
export class BatchGate {
  private underWay = 0;
  /** Whether the statement that was started last is slow. */
  private isSlow = false;
  private isDue = false;
  private isNext = false;
  private follower: BatchGate | null = null;
  // One for good: to set it anew costs each statement less than another one. What waits behind a slow statement need not wait for
  // somebody to arrive, or for its end.
  private readonly slowTimer = setTimeout(() => {
    this.isSlow = true;
    this.startSoon();
  }, slowMs).unref();

  /** @param start sends what waits, as long as the gate is open. Told how much is about to be done that the gate before set free */
  constructor(
    private readonly maxBatch: number,
    private readonly start: (setFree: number) => void,
    private readonly leader: BatchGate | null = null,
  ) {
    if (leader) leader.follower = this;
  }

  /** Starts when all that has arrived by now has been looked at: what arrived together goes together. */
  startSoon(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      this.start(0);
      this.follower?.startSoon();
    });
  }

  /** Starts when the event that is being handled has been, and all that follows from it: what one statement granted goes together. */
  startNext(): void {
    if (this.isNext) return;
    this.isNext = true;
    process.nextTick(() => {
      this.isNext = false;
      this.start(0);
    });
  }

  /** Starts what follows this gate, before as much is done as a statement has set free here. Resolves when it is on its way. */
  async startFollower(setFree: number): Promise<void> {
    if (!this.follower) return;
    const { underWay } = this.follower;
    this.follower.start(setFree);
    if (this.follower.underWay > underWay) await nextTurn();
  }

  isOpen(waiting: number): boolean {
    if (this.underWay < maxStatements && waiting >= this.maxBatch) return true;
    return this.hasRoom && (this.leader?.hasRoom ?? true);
  }

  async pass<T>(statement: Promise<T>): Promise<T> {
    this.underWay++;
    this.isSlow = false;
    this.slowTimer.refresh();
    try {
      return await statement;
    } finally {
      this.underWay--;
      this.startSoon();
    }
  }

  private get hasRoom(): boolean {
    if (this.underWay === 0) return true;
    return this.underWay < maxStatements && this.isSlow;
  }
}
