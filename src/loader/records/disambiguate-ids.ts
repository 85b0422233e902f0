import { hash } from 'node:crypto';
import type { RecordField } from '../../releases/record-fields/record-fields.js';
import { type NumberScope, parcelId } from './parcel-id.js';

/** A record's id and rank, decided once all records of its parcel number are known. */
export interface Identity {
  id: string;
  /** Its rank among them: 0, 1, … (`apn_sequence`). */
  sequence: number;
}

interface Position {
  latitude: number;
  longitude: number;
}

/**
 * The key by which records are grouped: the parcel number or, without one, the position to about ten metres. The point on a shape moves by
 * less when a county surveys it again, or another program writes it in another coordinate system.
 */
export function numberKey(apn: string | null, location: Position | null): string {
  return apn ?? positionPrefix + cellOf(location);
}

const positionPrefix = '@';

/** The id of a record whose parcel number is unique, whatever else changes from year to year. */
export function plainId(scope: NumberScope, apn: string | null, location: Position | null): string {
  return parcelId(scope, apn, apn === null ? [cellOf(location)] : []);
}

/**
 * The values that distinguish a record from others of its parcel number, the most stable first: unit, address, position, legal description,
 * building and land, owner and sale, and finally the rest of the record.
 */
export function discriminatorsOf(text: string): string[] {
  // Skips parsing the shape, which takes longest. These texts are keys, because quotes within values are escaped.
  const record: Partial<Record<RecordField, unknown>> = JSON.parse(`${text.slice(0, text.indexOf(',"geometry":'))}}`);
  const address = String(record.situs_address ?? '');
  const rest = text.slice(text.indexOf(',"owner_name":'), text.lastIndexOf(',"source":'));
  return [
    plain(unitOf(address)),
    plain(address),
    record.latitude === null ? '' : cellOf(record as Position),
    plain(String(record.legal_description ?? '')),
    JSON.stringify([record.use_code, record.year_built, record.acres]),
    JSON.stringify([record.owner_name, record.owner_name_2, record.sale_date]),
    hash('sha1', rest),
  ];
}

/**
 * The identities of all records of a number, independent of their order. Each id includes the fewest discriminators that make the record
 * unique. So the one row without a unit (a condominium's building) keeps the id that the number had before it was divided, a unit keeps its
 * id while its neighbours change, and no id passes from one unit to another.
 */
export function disambiguateIds(scope: NumberScope, apn: string | null, key: string, discriminators: string[][]): Identity[] {
  const own = apn === null ? [key.slice(positionPrefix.length)] : [];
  const identities: Identity[] = discriminators.map(() => ({ id: '', sequence: 0 }));
  let ambiguous = discriminators.map((_, i) => i);
  for (let level = 0; ambiguous.length > 0; level++) {
    const alike = groupBy(ambiguous, (i) => discriminators[i]!.slice(0, level).join('\0'));
    ambiguous = [];
    for (const members of alike) {
      const all = discriminators[members[0]!]!;
      const distinction = all.slice(0, level);
      if (members.length === 1) identities[members[0]!]!.id = parcelId(scope, apn, [...own, ...withoutBlankUnit(distinction)]);
      else if (level < all.length) ambiguous.push(...members);
      // Equal in everything, so their order does not matter.
      else for (const [n, i] of members.entries()) identities[i]!.id = parcelId(scope, apn, [...own, ...distinction, String(n)]);
    }
  }
  const sorted = discriminators.map((own, i) => ({ i, text: own.join('\0') })).sort((a, b) => compare(a.text, b.text));
  for (const [sequence, { i }] of sorted.entries()) identities[i]!.sequence = sequence;
  return identities;
}

/** Where the id is in a record's text. */
export const idStart = '{"parcel_id":"'.length;
export const idLength = 36;

/** The record's text with another identity. */
export function withIdentity(text: string, { id, sequence }: Identity): string {
  // The first match is the key, because quotes within values are escaped.
  const rest = text.slice(idStart + idLength).replace(/"apn_sequence":\d+/, `"apn_sequence":${sequence}`);
  return text.slice(0, idStart) + id + rest;
}

const withoutBlankUnit = (distinction: string[]): string[] => (distinction.length === 1 && distinction[0] === '' ? [] : distinction);

function groupBy<Item>(items: Item[], keyOf: (item: Item) => string): Iterable<Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups.values();
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const cellOf = (location: Position | null): string =>
  location === null ? '' : `${location.latitude.toFixed(4)},${location.longitude.toFixed(4)}`;

// Unit designators of the Postal Service (Publication 28, appendix C2). Those of the first list are synonyms.
const anyUnit = 'APARTMENT|APT|UNIT|SUITE|STE';
const unitStart = new RegExp(`(?:#|\\b(?:${anyUnit}|BUILDING|BLDG|LOT|PENTHOUSE|PH|ROOM|RM|SLIP|SPACE|SPC|TRAILER|TRLR)\\b).*$`, 'i');
const unitWords = new RegExp(`\\b(?:${anyUnit})\\b`, 'g');

/** The end of an address, starting at its unit. */
function unitOf(address: string): string {
  return unitStart.exec(address)?.[0] ?? '';
}

/** Removes what differs between exports: case, punctuation, spaces, the word for a unit. */
function plain(text: string): string {
  return text
    .toUpperCase()
    .replace(unitWords, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
