import { factsOf, type MappableField, mappableFields } from '../fields.js';

/** What a field is called, by concepts (see `words.ts`): each must be in the name, in any order; `a|b` is either. */
export interface Phrase {
  concepts: string[][];
  /** How sure a name that says this and nothing else makes us. */
  sureness: number;
}

type PartyField = 'mail_address' | 'mail_city' | 'mail_state' | 'mail_zip' | 'situs_address' | 'situs_city' | 'situs_zip';

/** Of an address of which the name does not say whose it is: `whose-address.ts` finds out. */
const genericTexts: Record<PartyField, string[]> = {
  mail_address: ['address', 'street address', 'address line'],
  mail_city: ['city'],
  mail_state: ['state'],
  mail_zip: ['zip', 'postal code'],
  situs_address: ['address', 'street address', 'address line'],
  situs_city: ['city'],
  situs_zip: ['zip', 'postal code'],
};

const parse = (phrase: string): string[][] => phrase.split(' ').map((concept) => concept.split('|'));

/** The phrases of each field. */
export const phrasesOf = new Map(
  mappableFields.map((field) => [
    field,
    Object.entries(factsOf[field].called).map(([phrase, sureness]): Phrase => ({ concepts: parse(phrase), sureness })),
  ]),
);

export const genericPhrasesOf = new Map(
  Object.entries(genericTexts).map(([field, phrases]) => [field as MappableField, phrases.map(parse)]),
);
