import { factorOfNetwork, networkOf } from '../core/client-address.js';

/**
 * A bound on what is under way at once, of each holder and in all. When it is full, nobody gets more than an equal part of it: those who
 * have less still get in, and those who have more get nothing until they have less. So a few holders cannot shut out others.
 */
export class Share {
  private readonly counts = new Map<string, number>();
  private sum = 0;
  private holders = 0;

  /** @param maxOfHolder of an address or account; an IPv6 network may have as much as eight addresses, and is one holder of the equal part */
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

  /** Counts one more, also where there is no room. @returns what ends that; to be called once */
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
