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

/** Leaves from `start` up to and without `end`. */
export interface Range {
  start: number;
  end: number;
}

/** The subtrees whose hashes prove that a leaf is in a tree of this size, the leaf's neighbour first. */
export function inclusionRanges(index: number, { start, end }: Range): Range[] {
  if (end - start <= 1) return [];
  const middle = start + splitOf(end - start);
  return index < middle
    ? [...inclusionRanges(index, { start, end: middle }), { start: middle, end }]
    : [...inclusionRanges(index, { start: middle, end }), { start, end: middle }];
}

/** The subtrees whose hashes prove that a tree of size `to` begins with the tree of size `from`. */
export function consistencyRanges(from: number, to: number): Range[] {
  return from === 0 || from === to ? [] : subproof(from, { start: 0, end: to }, true);
}

function subproof(from: number, { start, end }: Range, isWhole: boolean): Range[] {
  if (from === end) return isWhole ? [] : [{ start, end }];
  const middle = start + splitOf(end - start);
  return from <= middle
    ? [...subproof(from, { start, end: middle }, isWhole), { start: middle, end }]
    : [...subproof(from, { start: middle, end }, false), { start, end: middle }];
}

/** The largest power of two below a size. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

/** A subtree of 2^level leaves. */
export interface Node {
  level: number;
  index: number;
}

/** The full subtrees of which a subtree of the tree consists, from left to right. */
export function nodesOf({ start, end }: Range): Node[] {
  const nodes: Node[] = [];
  for (let at = start; at < end; ) {
    let level = 0;
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= end) level++;
    nodes.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return nodes;
}

/** The hash of a subtree of full ones, from left to right, each at most as large as the one before it. */
export const joinNodes = (hashes: Buffer[]): Buffer => hashes.reduceRight((right, left) => hashNode(left, right));

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
