const maxStatements = 2;
const slowMs = 50;

/**
 * When the next batch of what waits goes to the database. One statement is under way at a time, so that what comes meanwhile goes
 * together: two half batches cost server and database more than a whole one. A second goes beside one that is slow, or when a whole
 * batch waits.
 *
 * A gate may follow another: while that one's statement is under way it stays closed, under the same two exceptions. Spends follow
 * claims, since the answers that a claim sets free bring the next requests: those go with what waits, in one batch instead of two.
 */
export class BatchGate {
  private underWay = 0;
  /** Whether the statement that was started last is slow. */
  private isSlow = false;
  private isDue = false;
  private follower: BatchGate | null = null;
  // One for good: to set it anew costs each statement less than another one. What waits behind a slow statement need not wait for
  // somebody to arrive, or for its end.
  private readonly slowTimer = setTimeout(() => {
    this.isSlow = true;
    this.startSoon();
  }, slowMs).unref();

  /** @param start sends what waits, as long as the gate is open */
  constructor(
    private readonly maxBatch: number,
    private readonly start: () => void,
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
      this.start();
      this.follower?.startSoon();
    });
  }

  isOpen(waiting: number): boolean {
    if (this.underWay < maxStatements && waiting >= this.maxBatch) return true;
    return this.hasRoom && (this.leader?.hasRoom ?? true);
  }

  async pass(statement: Promise<void>): Promise<void> {
    this.underWay++;
    this.isSlow = false;
    this.slowTimer.refresh();
    await statement.finally(() => this.underWay--);
    this.startSoon();
  }

  private get hasRoom(): boolean {
    if (this.underWay === 0) return true;
    return this.underWay < maxStatements && this.isSlow;
  }
}
