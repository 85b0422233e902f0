/** Things that wait, by whom they are for. Everybody takes turns: who brings a thousand delays the next one's first by one. */
export class FairQueue<Item> {
  private waiting = new Map<string, { item: Item; since: number }[]>();
  private waitingItems = 0;

  /** @param waits told of each item how long it waited */
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

  /** Takes up to `max` items, one of each key in turn until no more fit; those of blocked keys stay. */
  take(max: number, isBlocked: (key: string) => boolean = () => false): { key: string; item: Item }[] {
    const taken: { key: string; item: Item }[] = [];
    for (let before = -1; taken.length > before && taken.length < max; ) {
      before = taken.length;
      // A new map each time, since one that lives long makes its table anew every so many changes, among V8's old objects: each such table
      // keeps all that it held, and the next one, until a full collection.
      const inTurn = this.waiting;
      this.waiting = new Map(inTurn);
      for (const [key, items] of inTurn) {
        if (taken.length === max) break;
        if (isBlocked(key)) continue;
        const { item, since } = items.shift()!;
        taken.push({ key, item });
        this.waitingItems--;
        this.waits.observe((performance.now() - since) / 1000);
        // to the end of the line, or out of it
        this.waiting.delete(key);
        if (items.length > 0) this.waiting.set(key, items);
      }
    }
    return taken;
  }
}
