import { factorOfNetwork, networkOf } from '../../core/client-address.js';

/**
 * Limits what is under way at once, for each holder and in total. When it is full, a holder with less than an equal part still gets in,
 * and one with more does not. So a few holders cannot shut out others.
 */
export class Share {
  private readonly counts = new Map<string, number>();
  private sum = 0;
  private holders = 0;

  /** @param maxOfHolder for an address or account. An IPv6 network gets eight times as much, and is one holder of the equal part */
  constructor(
    private readonly maxOfHolder: number,
    private readonly maxInAll: number,
  ) {}

  hasRoomFor(holder: string): boolean {
    const network = networkOf(holder);
    const count = this.counts.get(network) ?? 0;
    if (this.sum >= this.maxInAll && count >= Math.floor(this.maxInAll / this.holders)) return false;
    if (network === holder) return count < this.maxOfHolder;
    return count < factorOfNetwork * this.maxOfHolder && (this.counts.get(holder) ?? 0) < this.maxOfHolder;
  }

  /** Counts one more, even without room. @returns a function that ends it; call it once */
  count(holder: string): () => void {
    const network = networkOf(holder);
    if (this.change(network, 1) === 1) this.holders++;
    if (network !== holder) this.change(holder, 1);
    this.sum++;
    return () => {
      if (this.change(network, -1) === 0) this.holders--;
      if (network !== holder) this.change(holder, -1);
      this.sum--;
    };
  }

  private change(key: string, by: number): number {
    const count = (this.counts.get(key) ?? 0) + by;
    if (count > 0) this.counts.set(key, count);
    else this.counts.delete(key);
    return count;
  }
}
