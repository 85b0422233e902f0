import type { MappableField } from '../../src/loader/columns/fields.js';
import { type Recognition, recognise } from '../../src/loader/columns/recognise.js';
import { sampleColumns } from '../../src/loader/columns/sampled-column.js';

/** What is recognised of a table whose lines are separated by slashes and whose cells by commas. */
export function recognitionOf(table: string, state?: string): Recognition {
  const [header, ...lines] = table.split(' / ').map((line) => line.split(','));
  const rows = lines.map((cells) => Object.fromEntries(header!.map((name, i) => [name, cells[i]])));
  return recognise(sampleColumns(rows), { state });
}

/** The columns of each field, joined by a plus. */
export function mappingOf(table: string, state?: string): Partial<Record<MappableField, string>> {
  const { mapping } = recognitionOf(table, state);
  return Object.fromEntries(Object.entries(mapping).map(([field, { columns }]) => [field, columns.join('+')]));
}
