/**
 * Work for several readers, each of whom waits in a queue: the first turn that comes does it, and in the others nothing is left to do. Keeps
 * nothing of what was done, since such a turn may come long after all was answered.
 */
export class SharedTurn {
  private readonly readers = new Set<string>();

  constructor(private work: (() => Promise<void>) | null) {}

  /** Whether a reader is to wait for it: once, however often he asks, since turns without work would delay his other pages. */
  isNewTo(reader: string): boolean {
    if (!this.work || this.readers.has(reader)) return false;
    this.readers.add(reader);
    return true;
  }

  async take(): Promise<void> {
    const { work } = this;
    this.work = null;
    await work?.();
  }
}
