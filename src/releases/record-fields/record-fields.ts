import { buildingFields } from './building-fields.js';
import { landFields } from './land-fields.js';
import { partyFields } from './party-fields.js';
import type { RecordFieldEntry } from './record-field-entry.js';
import { valueFields } from './value-fields.js';

const list = [...partyFields, ...valueFields, ...landFields, ...buildingFields] as const;

export type RecordField = (typeof list)[number]['name'];

/** A field that is read from columns. */
export type ColumnField = Extract<(typeof list)[number], { called: object }>['name'];

export type RecordFieldFacts = RecordFieldEntry & { name: RecordField };

/**
 * The fields of a record, in the order of its keys. The only place where one is said: the loader, the contract, `/docs` and the console
 * have theirs from here. A new one comes at the end, with the next version.
 */
export const recordFieldList: readonly RecordFieldFacts[] = list;

export const recordFields = recordFieldList.map(({ name }) => name);

/** The version in which records are written now. */
export const recordVersion = Math.max(...recordFieldList.map(({ since = 1 }) => since));

/** The fields behind those that all records of a load share. A new field joins them. */
export const trailingFields = recordFieldList.slice(recordFields.indexOf('release_id') + 1);

const trailingKeys = trailingFields.map(({ name }) => `,"${name}":`);

/**
 * A record's text with the keys that came after it was written: their values are null. It looks at the text itself, since a part of a county
 * may have been loaded in an earlier version than the others. Quotes within values have a backslash before them, so what looks like a key is one.
 */
export function currentRecord(record: string): string {
  const lacking = trailingKeys.findIndex((key) => record.lastIndexOf(key) < 0);
  if (lacking < 0) return record;
  const blanks = trailingKeys.slice(lacking).map((key) => `${key}null`);
  return `${record.slice(0, -1)}${blanks.join('')}}`;
}
