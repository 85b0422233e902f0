import { digestBytes, idBytes } from '../../releases/record-fields/content-digest.js';
import { firstWord, indexOfIds, secondWord } from '../write/digest-index.js';

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
  const isChanged = (index: number) => {
    const [start, other] = [index * digestBytes, partners[index]! * digestBytes];
    return before.compare(after, start + idBytes, start + digestBytes, other + idBytes, other + digestBytes) !== 0;
  };
  const match: RecordMatch = { unchanged: 0, changed: 0, gone: 0, added: 0, firstGone: [], firstAdded: [], partners, isChanged };
  for (let index = 0; index < partners.length; index++) {
    const partner = find(firstWord(after, index), secondWord(after, index));
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
