import type { MappableField } from '../fields.js';
import { costBeside } from './name-token-penalties.js';
import { genericPhrasesOf, phrasesOf } from './phrases.js';
import type { NameReading } from './read-name.js';

export interface NameEvidence {
  sureness: number;
  /** The words of the field's phrase that the name has. */
  says: string;
  reading: NameReading;
}

const unknownCost = 0.04;
const letterCost = 0.02;
const maxUnknownCost = 0.3;

/** How far a name says a field; null where it does not at all. */
export function nameEvidence(field: MappableField, readings: NameReading[]): NameEvidence | null {
  let best: NameEvidence | null = null;
  for (const reading of readings) {
    for (const { concepts, sureness } of phrasesOf.get(field) ?? []) {
      const cost = costOf(field, reading, concepts);
      if (cost === null) continue;
      const left = sureness - cost - ordinalCost(field, reading);
      if (left > (best?.sureness ?? 0)) best = { sureness: left, says: wordsFound(reading, concepts), reading };
    }
  }
  return best;
}

/** A name that says little must not leave much unsaid. */
const genericUnknownCost = 0.12;

/** What the name lacks of being an address, or a part of one, of which it does not say whose it is; null where it is none. */
export function genericCost(field: MappableField, readings: NameReading[]): number | null {
  let least: number | null = null;
  for (const reading of readings) {
    for (const concepts of genericPhrasesOf.get(field) ?? []) {
      const cost = costOf(field, reading, concepts);
      if (cost === null) continue;
      const total = cost + ordinalCost(field, reading) + reading.unknown.length * genericUnknownCost;
      if (least === null || total < least) least = total;
    }
  }
  return least;
}

function costOf(field: MappableField, { concepts, unknown }: NameReading, phrase: string[][]): number | null {
  if (!phrase.every((alternatives) => alternatives.some((concept) => concepts.includes(concept)))) return null;
  const explained = new Set(phrase.flat());
  const others = new Set(concepts.filter((concept) => !explained.has(concept)));
  let cost = 0;
  for (const concept of others) cost += costBeside(field, concept);
  for (const part of unknown) cost += Math.min(maxUnknownCost, unknownCost + part.length * letterCost);
  return cost;
}

function wordsFound({ concepts }: NameReading, phrase: string[][]): string {
  return phrase.map((alternatives) => alternatives.find((concept) => concepts.includes(concept))).join(' ');
}

const lineCost = 0.25;

function ordinalCost(field: MappableField, { ordinal, concepts }: NameReading): number {
  if (ordinal === null || ordinal === 1) return 0;
  if (field === 'owner_name') return 1;
  if (field === 'mail_zip' || field === 'situs_zip') return ordinal === 5 ? 0 : lineCost;
  // `mail_state2` is Regrid's two-letter one.
  if (field === 'mail_state') return 0.02;
  return concepts.includes('sale') || concepts.includes('deed') ? lineCost + ordinal * 0.05 : lineCost;
}

/** A name that says an owner's name, and that it is the second one. */
export function secondOwnerEvidence(readings: NameReading[]): NameEvidence | null {
  const seconds = readings.filter(({ ordinal }) => ordinal === 2).map((reading) => ({ ...reading, ordinal: null }));
  return nameEvidence('owner_name', seconds);
}
