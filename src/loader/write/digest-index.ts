import { digestBytes } from '../../releases/record-fields/content-digest.js';

/** Finds the index of the record with an id; -1 if there is none. The id is given as its first two words. */
export type FindRecord = (first: number, second: number) => number;

export const firstWord = (digests: Buffer, index: number): number => digests.readInt32BE(index * digestBytes);
export const secondWord = (digests: Buffer, index: number): number => digests.readInt32BE(index * digestBytes + 4);

/** An index of records by id, with open addressing: four bytes a slot, at least half of them empty. A Map takes twenty times the memory. */
export function indexOfIds(digests: Buffer): FindRecord {
  const count = digests.length / digestBytes;
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 1)));
  const last = slots.length - 1;
  for (let index = 0; index < count; index++) {
    let slot = firstWord(digests, index) & last;
    while (slots[slot] !== 0) slot = (slot + 1) & last;
    slots[slot] = index + 1;
  }
  return (first, second) => {
    for (let slot = first & last; slots[slot] !== 0; slot = (slot + 1) & last) {
      const found = slots[slot]! - 1;
      if (firstWord(digests, found) === first && secondWord(digests, found) === second) return found;
    }
    return -1;
  };
}
