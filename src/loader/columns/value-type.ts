import type { Mapping } from './fields.js';
import { readName } from './names/read-name.js';

/** As columns call the values of parcels. What is fair or true is the market's; what is net, of none of these. */
const kinds = ['market', 'appraised', 'just', 'assessed', 'actual', 'cash', 'taxable'] as const;

export type ValueType = (typeof kinds)[number];

/** The kind of the values by the names of their columns: the total's, or its parts' if the total has none. Null: unknown. */
export function valueTypeOf({ total_value, improvement_value, land_value }: Mapping): ValueType | null {
  for (const source of [total_value, improvement_value, land_value]) {
    const concepts = new Set(source?.columns.flatMap((column) => readName(column)).flatMap((reading) => reading.concepts));
    const kind = kinds.find((each) => concepts.has(each));
    if (kind !== undefined) return kind;
  }
  return null;
}
