import { hash } from 'node:crypto';

// The Merkle tree of RFC 6962, section 2.1, over SHA-256.

export const hashBytes = 32;
/** Full subtrees of 2⁸, 2¹⁶… leaves are stored; what lies between is computed from at most 256 hashes. */
export const levelsBetween = 8;
export const chunkSize = 2 ** levelsBetween;

// Through a string, since Node makes a Buffer from that in half the time of one of its own.
export const sha256 = (bytes: Uint8Array): Buffer => Buffer.from(hash('sha256', bytes, 'binary'), 'latin1');

const leafPrefix = Buffer.of(0);
const nodeInput = Buffer.alloc(1 + 2 * hashBytes, 1);

export const hashLeaf = (text: string): Buffer => sha256(Buffer.concat([leafPrefix, Buffer.from(text)]));

export function hashNode(left: Buffer, right: Buffer): Buffer {
  left.copy(nodeInput, 1);
  right.copy(nodeInput, 1 + hashBytes);
  return sha256(nodeInput);
}

/**
 * The root over leaves, or over subtrees of one size of which only the last may be smaller: the tree splits at the largest power of two, so
 * both are the same tree.
 */
export function rootOf(hashes: Buffer[]): Buffer {
  if (hashes.length === 0) return sha256(Buffer.alloc(0));
  let level = hashes;
  while (level.length > 1) {
    const next: Buffer[] = [];
    for (let i = 0; i + 1 < level.length; i += 2) next.push(hashNode(level[i]!, level[i + 1]!));
    // The last one without a neighbour goes up as it is.
    if (level.length % 2 === 1) next.push(level.at(-1)!);
    level = next;
  }
  return level[0]!;
}

/** The hash of a full subtree of 2^level leaves. */
export interface StoredNode {
  level: number;
  index: number;
  hash: Buffer;
}

/** A tree to which leaves are appended. It holds at most 255 hashes of each stored level: those whose next one is not full yet. */
export class GrowingTree {
  /** The rightmost nodes of level 0, 8, 16… */
  private readonly open: Buffer[][] = [[]];
  size = 0;

  /**
   * @param onFull gets each stored node that becomes full
   * @param from the stored level of what is appended: 0 for a leaf, 1 for a bundle of 256
   */
  append(appended: Buffer, onFull?: (node: StoredNode) => void, from = 0): void {
    this.size += chunkSize ** from;
    let hash = appended;
    for (let step = from; ; step++) {
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
