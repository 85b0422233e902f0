const maxStatements = 2;
const slowMs = 50;

/**
 * When the next batch of what waits may go to the database. One statement is under way at a time, so that what comes meanwhile goes
 * together: two half batches cost server and database more than a whole one. A second goes beside one that is slow, or when a whole
 * batch waits.
 */
export class BatchGate {
  private underWay = 0;
  private lastStartedMs = 0;

  constructor(private readonly maxBatch: number) {}

  isOpen(waiting: number): boolean {
    if (this.underWay === 0) return true;
    return this.underWay < maxStatements && (waiting >= this.maxBatch || performance.now() - this.lastStartedMs > slowMs);
  }

  async pass(statement: Promise<void>): Promise<void> {
    this.underWay++;
    this.lastStartedMs = performance.now();
    await statement.finally(() => this.underWay--);
  }
}
