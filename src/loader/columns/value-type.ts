import type { Mapping } from './fields.js';
import { readName } from './names/read-name.js';

/** As columns call the values of parcels. What is fair or true is the market's; what is net, of none of these. */
const kinds = ['market', 'appraised', 'just', 'assessed', 'actual', 'cash', 'taxable'] as const;

export type ValueType = (typeof kinds)[number];

/** Of which kind the values are, as the names of their columns say: that of the total, else those of its parts. Null: they do not say. */
export function valueTypeOf({ total_value, improvement_value, land_value }: Mapping): ValueType | null {
  for (const source of [total_value, improvement_value, land_value]) {
    const concepts = new Set(source?.columns.flatMap((column) => readName(column)).flatMap((reading) => reading.concepts));
    const kind = kinds.find((each) => concepts.has(each));
    if (kind !== undefined) return kind;
  }
  return null;
}
