/** Things that wait, by whom they are for. Everybody takes turns: who brings a thousand delays the next one's first by one. */
export class FairQueue<Item> {
  private readonly waiting = new Map<string, Item[]>();

  push(key: string, item: Item): void {
    const items = this.waiting.get(key);
    if (items) items.push(item);
    else this.waiting.set(key, [item]);
  }

  countOf(key: string): number {
    return this.waiting.get(key)?.length ?? 0;
  }

  /** Takes up to `max` items, one of each key in turn until no more fit; those of blocked keys stay. */
  take(max: number, isBlocked: (key: string) => boolean = () => false): { key: string; item: Item }[] {
    const taken: { key: string; item: Item }[] = [];
    for (let before = -1; taken.length > before && taken.length < max; ) {
      before = taken.length;
      for (const [key, items] of [...this.waiting]) {
        if (taken.length === max) break;
        if (isBlocked(key)) continue;
        taken.push({ key, item: items.shift()! });
        // to the end of the line, or out of it
        this.waiting.delete(key);
        if (items.length > 0) this.waiting.set(key, items);
      }
    }
    return taken;
  }
}
