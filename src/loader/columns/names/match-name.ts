import { compareRanks, possible, type Tier } from '../candidate.js';
import { factsOf, type MappableField, mappableFields } from '../fields.js';
import type { NameReading } from './read-name.js';

/** How well a name says a field. */
export interface NameMatch {
  tier: Tier;
  /** See `Candidate`: the phrase's place, then how much else the name says. */
  rank: [phrase: number, others: number];
  /** The words of the phrase. */
  says: string;
}

/** A name of a field: each of its concepts must be in the name, in any order; one of several that are separated by `|`. */
interface Phrase {
  concepts: string[][];
  tier: Tier;
}

const parse = (texts: readonly string[]): Phrase[] =>
  texts.flatMap((text, tier) =>
    text.split(', ').map((phrase) => ({ concepts: phrase.split(' ').map((concept) => concept.split('|')), tier: tier as Tier })),
  );
const setOf = (words = ''): Set<string> => new Set(words.split(' '));

interface Rules {
  phrases: Phrase[];
  beside: Set<string>;
  lowers: Set<string>;
}

const rulesOf = Object.fromEntries(
  mappableFields.map((field): [string, Rules] => {
    const { called, beside, lowers } = factsOf[field];
    const phrases = parse([called.certain, called.likely ?? '', called.possible ?? '']);
    return [field, { phrases, beside: setOf(beside), lowers: setOf(lowers) }];
  }),
) as Record<MappableField, Rules>;

// Whatever the field.
const besideAll = setOf('full true primary current public all local text gis formatted recent line parcel property dor dwelling postal');
const lowersAll = setOf('county estimated');

/** How certainly a name means a field; null if it does not. */
export const matchName = (field: MappableField, readings: NameReading[]): NameMatch | null =>
  bestOf(readings.flatMap((reading) => rulesOf[field].phrases.map((phrase) => match(field, reading, phrase))));

const unnamedPhrases = {
  address: parse(['address, street address, address line']),
  city: parse(['city, city state']),
  state: parse(['state']),
  zip: parse(['zip, postal code']),
};

/** Whether a name is that of an address, or a part of one, that does not say whose it is. */
export function matchUnnamed(part: keyof typeof unnamedPhrases, readings: NameReading[]): NameMatch | null {
  const field = part === 'state' ? 'mail_state' : (`situs_${part}` as const);
  return bestOf(readings.flatMap((reading) => unnamedPhrases[part].map((phrase) => match(field, reading, phrase))));
}

const bestOf = (matches: (NameMatch | null)[]): NameMatch | null =>
  matches.reduce(
    (best, next) => (next && (!best || compareRanks([next.tier, ...next.rank], [best.tier, ...best.rank]) < 0) ? next : best),
    null,
  );

/** A shorter unknown part is an abbreviation that changes little. */
const shortPart = 2;

function match(field: MappableField, { concepts, unknown, ordinal }: NameReading, phrase: Phrase): NameMatch | null {
  if (!phrase.concepts.every((alternatives) => alternatives.some((concept) => concepts.includes(concept)))) return null;
  const line = ordinalCost(field, ordinal);
  const explained = new Set(phrase.concepts.flat());
  const others = [...new Set(concepts)].filter((concept) => !explained.has(concept));
  const { beside, lowers } = rulesOf[field];
  const isLowering = (concept: string) => lowers.has(concept) || (lowersAll.has(concept) && !beside.has(concept));
  const isOther = (concept: string) => !isLowering(concept) && !beside.has(concept) && !besideAll.has(concept);
  if (line === null || others.some(isOther)) return null;
  const lowered = others.filter(isLowering).length + unknown.filter((part) => part.length > shortPart).length + line;
  const tier = phrase.tier + lowered;
  if (tier > possible) return null;
  const says = phrase.concepts.map((alternatives) => alternatives.find((concept) => concepts.includes(concept))).join(' ');
  const place = rulesOf[field].phrases.indexOf(phrase);
  return { tier: tier as Tier, rank: [place, others.length + unknown.join('').length + (ordinal ?? 0)], says };
}

/** How much less certain the number of a line, an owner or a sale makes a name; null where it means another thing. */
function ordinalCost(field: MappableField, ordinal: number | null): number | null {
  if (ordinal === null || ordinal === 1) return 0;
  if (field === 'owner_name') return null;
  if (field === 'mail_zip' || field === 'situs_zip') return ordinal === 5 ? 0 : ordinal === 4 ? null : 1;
  // `mail_state2` is Regrid's two-letter one.
  if (field === 'mail_state') return 0;
  // An address's first line may be a name. A second sale or value is not the last one, even if the first is missing: it is asked about.
  return field === 'mail_address' || field === 'situs_address' ? 1 : possible;
}

/** A second owner is also an owner's name with the number 2. */
export function matchSecondOwner(readings: NameReading[]): NameMatch | null {
  const seconds = readings.filter(({ ordinal }) => ordinal === 2).map((reading) => ({ ...reading, ordinal: null }));
  return bestOf([matchName('owner_name_2', readings), matchName('owner_name', seconds)]);
}
