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

const versionOf = ({ since = 1 }: RecordFieldFacts): number => since;

/** The version in which records are written now. */
export const recordVersion = Math.max(...recordFieldList.map(versionOf));

/** What was added to the first version, in its order. */
export const addedFields = recordFieldList.filter((field) => versionOf(field) > 1);

/** What lacks in a record without the key, of each version but the first: the keys from this one on, all null. */
const lacking = addedFields.flatMap((field, i) => {
  if (i > 0 && versionOf(field) === versionOf(addedFields[i - 1]!)) return [];
  const blanks = addedFields.slice(i).map(({ name }) => `,"${name}":null`);
  // Quotes within values have a backslash before them, so what looks like a key is one.
  return [{ key: `,"${field.name}":`, blanks: blanks.join('') }];
});

/**
 * A record's text with the keys that came after it was written: their values are null. It looks at the text itself: a part of a county may
 * have been taken over by a server of another version.
 */
export function currentRecord(record: string): string {
  const lack = lacking.find(({ key }) => !record.includes(key));
  return lack ? `${record.slice(0, -1)}${lack.blanks}}` : record;
}

/** The same as SQL, for texts that stay in the database: it takes ten times as long. */
export const currentRecordSql = `left(record, -1) || case ${lacking
  .map(({ key, blanks }) => `when strpos(record, '${key}') = 0 then '${blanks}'`)
  .join(' ')} else '' end || '}'`;
