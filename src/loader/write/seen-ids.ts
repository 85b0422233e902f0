const emptySlot = 0;

/**
 * Remembers which ids have occurred, by eight bytes of each: the texts of a county's millions of numbers would fill the memory. Of two ids
 * that share them (one chance in a hundred thousand for five million) the second would only be looked at once more.
 */
export class SeenIds {
  private first = new Int32Array(1 << 16);
  private second = new Int32Array(1 << 16);
  private size = 0;

  /** @returns whether it is the id's first time */
  add(first: number, second: number): boolean {
    if (this.size * 4 > this.first.length * 3) this.grow();
    const slot = this.slotOf(first || 1, second);
    if (this.first[slot] !== emptySlot) return false;
    this.first[slot] = first || 1;
    this.second[slot] = second;
    this.size++;
    return true;
  }

  /** Where an id is, or would be. */
  private slotOf(first: number, second: number): number {
    const mask = this.first.length - 1;
    let slot = first & mask;
    while (this.first[slot] !== emptySlot && (this.first[slot] !== first || this.second[slot] !== second)) slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    const { first, second } = this;
    this.first = new Int32Array(first.length * 2);
    this.second = new Int32Array(second.length * 2);
    for (let i = 0; i < first.length; i++) {
      if (first[i] === emptySlot) continue;
      const slot = this.slotOf(first[i]!, second[i]!);
      this.first[slot] = first[i]!;
      this.second[slot] = second[i]!;
    }
  }
}
