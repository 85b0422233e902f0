import { type RecordFieldFacts, trailingFields } from '../../releases/record-fields/record-fields.js';
import type { MappableField, Mapping } from '../columns/fields.js';
import { fieldNumber } from './field-reader.js';

/** A field to write. */
export interface TrailingField {
  /** The text before its value. */
  key: string;
  number: number;
  type: RecordFieldFacts['type'];
}

/** How the trailing fields of a record are written. */
export interface TrailingFields {
  /** The mapped fields. `key` includes the text of the `blanks` unmapped fields before each. */
  fields: (TrailingField & { blanks: number })[];
  blanksAtEnd: number;
  textAtEnd: string;
}

/** Precomputes the text of unmapped fields, which most of these are: writing it at once takes a third of the time. */
export function trailingFieldsOf(mapping: Mapping): TrailingFields {
  const fields: TrailingFields['fields'] = [];
  let [blanks, text] = [0, ''];
  for (const { name, type } of trailingFields) {
    text += `,"${name}":`;
    if (type === 'value type' || mapping[name as MappableField]) {
      fields.push({ key: text, number: fieldNumber[name as MappableField], type, blanks });
      [blanks, text] = [0, ''];
    } else {
      text += 'null';
      blanks++;
    }
  }
  return { fields, blanksAtEnd: blanks, textAtEnd: `${text}}` };
}
