import { chunkSize, levelsBetween, type Node, rootOf } from './tree.js';

export interface StoredNode extends Node {
  hash: Buffer;
}

/** A tree to which leaves are appended. It holds at most 255 hashes of each stored level: those whose next one is not full yet. */
export class GrowingTree {
  /** Of level 0, 8, 16…, the rightmost ones. */
  private readonly open: Buffer[][];
  size: number;

  /** @param open the rightmost hashes of the stored levels of a tree of this size */
  constructor(size = 0, open: Buffer[][] = []) {
    this.size = size;
    this.open = open;
  }

  /** @param onFull gets each stored node that becomes full */
  append(leafHash: Buffer, onFull?: (node: StoredNode) => void): void {
    this.size++;
    let hash = leafHash;
    for (let step = 0; ; step++) {
      this.open[step] ??= [];
      const level = this.open[step]!;
      level.push(hash);
      if (level.length < chunkSize) return;
      hash = rootOf(level);
      level.length = 0;
      const above = levelsBetween * (step + 1);
      onFull?.({ level: above, index: this.size / 2 ** above - 1, hash });
    }
  }

  root(): Buffer {
    let below: Buffer[] = [];
    for (const level of this.open) {
      const all = [...level, ...below];
      below = all.length > 0 ? [rootOf(all)] : [];
    }
    return rootOf(below);
  }
}
