import { digestBytes } from '../../releases/record-fields/content-digest.js';
import { type FindRecord, firstWord, indexOfIds, secondWord } from './digest-index.js';
import type { Moves } from './move-records.js';

/**
 * Gives a record the ordinal that it has in the current release, so that a page whose records did not change stays the same page. A new
 * record takes the place of one that is gone, or comes at the end. Ordinals are counted from 1.
 */
export class StableOrdinals {
  private readonly find: FindRecord;
  private readonly isTaken: Uint8Array;
  /** By the order in which records came. */
  private given = new Int32Array(1 << 12);
  private count = 0;
  private last: number;

  /** @param before the digests of the records that the load replaces */
  constructor(before: Buffer) {
    this.find = indexOfIds(before);
    this.isTaken = new Uint8Array(before.length / digestBytes);
    this.last = this.isTaken.length;
  }

  /** The ordinal of the next record. One that is new stays behind all others until `fillGaps`. */
  next(first: number, second: number): number {
    const found = this.find(first, second);
    const isFree = found >= 0 && this.isTaken[found] === 0;
    if (isFree) this.isTaken[found] = 1;
    const ordinal = isFree ? found + 1 : ++this.last;
    if (this.count === this.given.length) {
      const longer = new Int32Array(2 * this.count);
      longer.set(this.given);
      this.given = longer;
    }
    this.given[this.count++] = ordinal;
    return ordinal;
  }

  /** Moves the last records into the places of those that are gone, so that the ordinals have no gaps. Call once, after the last record. */
  fillGaps(): Moves {
    const moves: Moves = { from: [], to: [] };
    const gaps: number[] = [];
    for (let index = 0; index < this.isTaken.length && index < this.count; index++) if (this.isTaken[index] === 0) gaps.push(index + 1);
    for (let place = 0; place < this.count && moves.to.length < gaps.length; place++) {
      const from = this.given[place]!;
      if (from <= this.count) continue;
      const to = gaps[moves.to.length]!;
      moves.from.push(from);
      moves.to.push(to);
      this.given[place] = to;
    }
    return moves;
  }

  /** In the order in which records came; null if they are 1, 2, 3, … Call after `fillGaps`. */
  all(): Int32Array | null {
    const ordinals = this.given.subarray(0, this.count);
    return ordinals.every((ordinal, place) => ordinal === place + 1) ? null : ordinals;
  }
}

/**
 * The moves after which each record that both releases have stands where it stood. Records whose number is scattered over the file get their
 * ids only once all are copied, so `StableOrdinals` may have mistaken one of them for another.
 */
export function misplaced(before: Buffer, after: Buffer): Moves {
  const find = indexOfIds(before);
  const moves: Moves = { from: [], to: [] };
  const count = after.length / digestBytes;
  for (let index = 0; index < count; index++) {
    const place = find(firstWord(after, index), secondWord(after, index));
    if (place < 0 || place === index || place >= count) continue;
    moves.from.push(index + 1);
    moves.to.push(place + 1);
  }
  // Who stood there goes where a place became free.
  const [leaving, wanted] = [new Set(moves.from), new Set(moves.to)];
  const free = moves.from.filter((ordinal) => !wanted.has(ordinal));
  const displaced = moves.to.filter((ordinal) => !leaving.has(ordinal));
  return { from: [...moves.from, ...displaced], to: [...moves.to, ...free] };
}
