const emptySlot = 0;

/**
 * Remembers which parcel numbers have occurred, in eight bytes a number however long it is: the texts of a county's millions of
 * numbers would fill the memory. Of two numbers that share a 64-bit hash (one chance in a million for five million numbers) the second
 * would only be looked at once more.
 */
export class SeenNumbers {
  private high = new Uint32Array(1 << 16);
  private low = new Uint32Array(1 << 16);
  private size = 0;

  /** @returns whether it is the number's first time */
  add(parcelNumber: string): boolean {
    const [high, low] = hash64(parcelNumber);
    if (this.size * 4 > this.high.length * 3) this.grow();
    const mask = this.high.length - 1;
    let slot = low & mask;
    while (this.high[slot] !== emptySlot) {
      if (this.high[slot] === high && this.low[slot] === low) return false;
      slot = (slot + 1) & mask;
    }
    this.high[slot] = high;
    this.low[slot] = low;
    this.size++;
    return true;
  }

  private grow(): void {
    const { high, low } = this;
    this.high = new Uint32Array(high.length * 2);
    this.low = new Uint32Array(low.length * 2);
    const mask = this.high.length - 1;
    for (let i = 0; i < high.length; i++) {
      if (high[i] === emptySlot) continue;
      let slot = low[i]! & mask;
      while (this.high[slot] !== emptySlot) slot = (slot + 1) & mask;
      this.high[slot] = high[i]!;
      this.low[slot] = low[i]!;
    }
  }
}

/** Two independent 32-bit multiplicative hashes with a final mix (cyrb53's); the first is never 0, which marks an empty slot. */
function hash64(text: string): [high: number, low: number] {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return [a >>> 0 || 1, b >>> 0];
}
