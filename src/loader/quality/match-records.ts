import { digestBytes } from '../write/record-digests.js';

/** How the records of two releases match by id. A record is named by its index, from 0. */
export interface RecordMatch {
  unchanged: number;
  changed: number;
  /** How many records only one release has, and the first of them. */
  gone: number;
  added: number;
  firstGone: number[];
  firstAdded: number[];
  /** For each new record, the index of the old record with its id, or -1. */
  partners: Int32Array;
  isChanged(after: number): boolean;
}

const maxNamed = 5;

/** @param before the old release's digests (see `RecordDigests`), @param after the new one's */
export function matchRecords(before: Buffer, after: Buffer): RecordMatch {
  const stays = new Uint8Array(before.length / digestBytes);
  const partners = new Int32Array(after.length / digestBytes);
  const find = indexOfIds(before);
  const isChanged = (index: number) => textSum(before, partners[index]!) !== textSum(after, index);
  const match: RecordMatch = { unchanged: 0, changed: 0, gone: 0, added: 0, firstGone: [], firstAdded: [], partners, isChanged };
  for (let index = 0; index < partners.length; index++) {
    const partner = find(after, index);
    partners[index] = partner;
    if (partner < 0) {
      if (++match.added <= maxNamed) match.firstAdded.push(index);
      continue;
    }
    stays[partner] = 1;
    if (isChanged(index)) match.changed++;
    else match.unchanged++;
  }
  for (let index = 0; index < stays.length; index++) {
    if (stays[index] === 0 && ++match.gone <= maxNamed) match.firstGone.push(index);
  }
  return match;
}

// A digest is three integers: two for the id, one for the text.
const head = (digests: Buffer, index: number): number => digests.readInt32BE(index * digestBytes);
const rest = (digests: Buffer, index: number): number => digests.readInt32BE(index * digestBytes + 4);
const textSum = (digests: Buffer, index: number): number => digests.readInt32BE(index * digestBytes + 8);

/** Finds ids by open addressing: four bytes a slot, at least half of them empty. A Map takes twenty times the memory. */
function indexOfIds(digests: Buffer): (other: Buffer, index: number) => number {
  const count = digests.length / digestBytes;
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 1)));
  const last = slots.length - 1;
  for (let index = 0; index < count; index++) {
    let slot = head(digests, index) & last;
    while (slots[slot] !== 0) slot = (slot + 1) & last;
    slots[slot] = index + 1;
  }
  return (other, index) => {
    for (let slot = head(other, index) & last; slots[slot] !== 0; slot = (slot + 1) & last) {
      const found = slots[slot]! - 1;
      if (head(digests, found) === head(other, index) && rest(digests, found) === rest(other, index)) return found;
    }
    return -1;
  };
}
