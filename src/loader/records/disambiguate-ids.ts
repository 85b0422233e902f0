import { hash } from 'node:crypto';
import type { RecordField } from '../../releases/catalogue/record-fields.js';
import { type NumberScope, parcelId } from './parcel-id.js';

/** What a record gets once all of its parcel number are known. */
export interface Identity {
  id: string;
  /** Its place among them: 0, 1, … */
  sequence: number;
}

interface Position {
  latitude: number;
  longitude: number;
}

/**
 * What a record's number is for telling it from others: shapes without one are told apart by their place, to about ten metres. The
 * point on a shape moves by less when a county surveys it anew, or another program writes it in another coordinate system.
 */
export function numberKey(apn: string | null, place: Position | null): string {
  return apn ?? placeMark + cellOf(place);
}

const placeMark = '@';

/** The id of a record as long as it is the only one of its number, whatever else is known of it and changes from year to year. */
export function plainId(scope: NumberScope, apn: string | null, place: Position | null): string {
  return parcelId(scope, apn, apn === null ? [cellOf(place)] : []);
}

/**
 * What tells a record from others of its number, the lasting before the changing: unit, address, place, legal description, building
 * and land, owner and sale, and at last all the rest of it.
 */
export function marksOf(text: string): string[] {
  // The shape is left unread, it takes the longest. Quotes within values have a backslash before them, so these are the keys.
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
 * The identities of all records of a number, in the order given, which decides nothing. Each is distinguished by the fewest of its
 * marks that no other has: so the one row that names no unit (the condominium's building) keeps the id that the number had before
 * it was divided, a unit keeps its own while its neighbours come and go, and no id passes from one unit to another.
 */
export function distinguish(scope: NumberScope, apn: string | null, key: string, marks: string[][]): Identity[] {
  const own = apn === null ? [key.slice(placeMark.length)] : [];
  const identities: Identity[] = marks.map(() => ({ id: '', sequence: 0 }));
  let unclear = marks.map((_, i) => i);
  for (let level = 0; unclear.length > 0; level++) {
    const alike = groupBy(unclear, (i) => marks[i]!.slice(0, level).join('\0'));
    unclear = [];
    for (const members of alike) {
      const all = marks[members[0]!]!;
      const distinction = all.slice(0, level);
      if (members.length === 1) identities[members[0]!]!.id = parcelId(scope, apn, [...own, ...withoutBlankUnit(distinction)]);
      else if (level < all.length) unclear.push(...members);
      // Alike in everything: whichever comes first, it is the same record.
      else for (const [n, i] of members.entries()) identities[i]!.id = parcelId(scope, apn, [...own, ...distinction, String(n)]);
    }
  }
  const sorted = marks.map((own, i) => ({ i, text: own.join('\0') })).sort((a, b) => compare(a.text, b.text));
  for (const [sequence, { i }] of sorted.entries()) identities[i]!.sequence = sequence;
  return identities;
}

/** Where the id stands in a record's text. */
export const idStart = '{"parcel_id":"'.length;
export const idLength = 36;

/** The record's text with another identity. */
export function withIdentity(text: string, { id, sequence }: Identity): string {
  // The first one is the key: within the values before it a quote has a backslash in front.
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

const cellOf = (place: Position | null): string => (place === null ? '' : `${place.latitude.toFixed(4)},${place.longitude.toFixed(4)}`);

// Designators of the Postal Service (Publication 28, appendix C2) that counties write. Those of the first list all mean the same.
const anyUnit = 'APARTMENT|APT|UNIT|SUITE|STE';
const unitStart = new RegExp(`(?:#|\\b(?:${anyUnit}|BUILDING|BLDG|LOT|PENTHOUSE|PH|ROOM|RM|SLIP|SPACE|SPC|TRAILER|TRLR)\\b).*$`, 'i');
const unitWords = new RegExp(`\\b(?:${anyUnit})\\b`, 'g');

/** The end of an address that names a unit. */
function unitOf(address: string): string {
  return unitStart.exec(address)?.[0] ?? '';
}

/** Without what one year's export writes and another's doesn't: case, punctuation, spaces, the word for a unit. */
function plain(text: string): string {
  return text
    .toUpperCase()
    .replace(unitWords, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
