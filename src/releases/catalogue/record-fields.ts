import { buildingFields } from '../record-fields/building-fields.js';
import { landFields } from '../record-fields/land-fields.js';
import { partyFields } from '../record-fields/party-fields.js';
import type { RecordFieldEntry } from '../record-fields/record-field-entry.js';
import { valueFields } from '../record-fields/value-fields.js';

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

/** The end of a record that has no value in any field from this one on, without its brace. */
const blanksFrom = (field: RecordFieldFacts): string =>
  addedFields
    .slice(addedFields.indexOf(field))
    .map(({ name }) => `,"${name}":null`)
    .join('');

// The first field of each version but the first. Quotes within values have a backslash before them, so what looks like a key is one.
const cases = addedFields
  .filter((field, i) => i === 0 || versionOf(field) > versionOf(addedFields[i - 1]!))
  .map((field) => `when strpos(record, ',"${field.name}":') = 0 then '${blanksFrom(field)}'`);

/**
 * SQL for the text of a `record` with the keys that came after it was written: their values are null. It looks at the text itself: a part
 * of a county may have been taken over by a server of another version.
 */
export const currentRecord = `left(record, -1) || case ${cases.join(' ')} else '' end || '}'`;
