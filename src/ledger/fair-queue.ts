/** A queue in which keys take turns: a key with a thousand items delays another key's first item by one. */
export class FairQueue<Item> {
  private waiting = new Map<string, { item: Item; since: number }[]>();
  private waitingItems = 0;

  /** @param waits observes how long each item waited */
  constructor(private readonly waits: { observe(seconds: number): void }) {}

  push(key: string, item: Item): void {
    const waiting = { item, since: performance.now() };
    this.waitingItems++;
    const items = this.waiting.get(key);
    if (items) items.push(waiting);
    else this.waiting.set(key, [waiting]);
  }

  get size(): number {
    return this.waitingItems;
  }

  countOf(key: string): number {
    return this.waiting.get(key)?.length ?? 0;
  }

  /** Takes up to `max` items, one of each key in turn. Items of blocked keys stay. */
  take(max: number, isBlocked: (key: string) => boolean = () => false): Item[] {
    const taken: Item[] = [];
    for (let before = -1; taken.length > before && taken.length < max; ) {
      before = taken.length;
      // A new map each time: V8 rebuilds the table of a long-lived map every so many changes among its old objects, and each table keeps
      // all its items, and the next table, until a full garbage collection.
      const inTurn = this.waiting;
      this.waiting = new Map(inTurn);
      for (const [key, items] of inTurn) {
        if (taken.length === max) break;
        if (isBlocked(key)) continue;
        const { item, since } = items.shift()!;
        taken.push(item);
        this.waitingItems--;
        this.waits.observe((performance.now() - since) / 1000);
        // Move the key to the end, or remove it.
        this.waiting.delete(key);
        if (items.length > 0) this.waiting.set(key, items);
      }
    }
    return taken;
  }
}
