import { setImmediate as nextTurn } from 'node:timers/promises';

const maxStatements = 2;
const slowMs = 50;

/**
 * Decides when the next batch goes to the database. One statement runs at a time, so that requests that arrive meanwhile share the
 * next: two half batches cost server and database more than a whole one. A second statement runs beside a slow one, or when a whole
 * batch waits.
 *
 * A gate may follow another: it stays closed while the leader's statement runs, with the same two exceptions. Spends follow delivery
 * confirmations: when a confirmation ends, waiting spends are sent before the confirmed answers are written, so that Postgres spends while
 * the server writes.
 */
export class BatchGate {
  private underWay = 0;
  /** Whether the latest statement is slow. */
  private isSlow = false;
  private isDue = false;
  private isNext = false;
  private follower: BatchGate | null = null;
  // One timer for good: refreshing it costs less than a new one per statement. It opens the gate behind a slow statement, even if nothing
  // arrives.
  private readonly slowTimer = setTimeout(() => {
    this.isSlow = true;
    this.startSoon();
  }, slowMs).unref();

  /** @param start sends waiting requests while the gate is open. `setFree`: how many answers the leader is about to write */
  constructor(
    private readonly maxBatch: number,
    private readonly start: (setFree: number) => void,
    private readonly leader: BatchGate | null = null,
  ) {
    if (leader) leader.follower = this;
  }

  /** Starts after all pending I/O events, so that requests that arrived together share a batch. */
  startSoon(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      this.start(0);
      this.follower?.startSoon();
    });
  }

  /** Starts after the current event and its promises, so that reads granted by one statement share a batch. */
  startNext(): void {
    if (this.isNext) return;
    this.isNext = true;
    process.nextTick(() => {
      this.isNext = false;
      this.start(0);
    });
  }

  /** Starts the follower before the answers of this gate's statement are written. Resolves when its statement is sent. */
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
