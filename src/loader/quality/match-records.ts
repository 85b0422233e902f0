import { digestBytes } from '../write/record-digests.js';

/** How the records of two releases go together by their ids. Records are named by their place, from 0 on. */
export interface RecordMatch {
  unchanged: number;
  changed: number;
  /** How many are in one of the releases only, and the first of them. */
  gone: number;
  added: number;
  firstGone: number[];
  firstAdded: number[];
  /** Where the record of the other release is of each that came after; -1: nowhere. */
  partners: Int32Array;
  isChanged(after: number): boolean;
}

const maxNamed = 5;

/** @param before digests of the one release, @param after of the other (see `RecordDigests`) */
export function matchRecords(before: Buffer, after: Buffer): RecordMatch {
  const stays = new Uint8Array(before.length / digestBytes);
  const partners = new Int32Array(after.length / digestBytes);
  const find = finderIn(before);
  const isChanged = (place: number) => textSum(before, partners[place]!) !== textSum(after, place);
  const match: RecordMatch = { unchanged: 0, changed: 0, gone: 0, added: 0, firstGone: [], firstAdded: [], partners, isChanged };
  for (let place = 0; place < partners.length; place++) {
    const partner = find(after, place);
    partners[place] = partner;
    if (partner < 0) {
      if (++match.added <= maxNamed) match.firstAdded.push(place);
      continue;
    }
    stays[partner] = 1;
    if (isChanged(place)) match.changed++;
    else match.unchanged++;
  }
  for (let place = 0; place < stays.length; place++) {
    if (stays[place] === 0 && ++match.gone <= maxNamed) match.firstGone.push(place);
  }
  return match;
}

// A digest is three integers: two of the id, one of the text.
const head = (digests: Buffer, place: number): number => digests.readInt32BE(place * digestBytes);
const rest = (digests: Buffer, place: number): number => digests.readInt32BE(place * digestBytes + 4);
const textSum = (digests: Buffer, place: number): number => digests.readInt32BE(place * digestBytes + 8);

/** Finds ids by open addressing: four bytes a place in a table that is at least half empty. A Map takes twenty times as much. */
function finderIn(digests: Buffer): (other: Buffer, place: number) => number {
  const count = digests.length / digestBytes;
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 1)));
  const last = slots.length - 1;
  for (let place = 0; place < count; place++) {
    let slot = head(digests, place) & last;
    while (slots[slot] !== 0) slot = (slot + 1) & last;
    slots[slot] = place + 1;
  }
  return (other, place) => {
    for (let slot = head(other, place) & last; slots[slot] !== 0; slot = (slot + 1) & last) {
      const found = slots[slot]! - 1;
      if (head(digests, found) === head(other, place) && rest(digests, found) === rest(other, place)) return found;
    }
    return -1;
  };
}
