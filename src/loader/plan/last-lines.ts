import { isLastLine } from '../columns/addresses/last-line.js';
import type { MappableField, Mapping } from '../columns/fields.js';
import { readName } from '../columns/names/read-name.js';
import { type SampledColumn, shareOf } from '../columns/sampled-column.js';

const parts = ['mail_city', 'mail_state', 'mail_zip'] as const satisfies MappableField[];
const ofParcel = ['situs', 'location', 'property', 'parcel'];

/** Says that cities, states and ZIP codes stand in one column, of which no field comes, since nothing tells that they are the owners'. */
export function lastLineWarnings(mapping: Mapping, columns: SampledColumn[]): string[] {
  const used = new Set(Object.values(mapping).flatMap((source) => source.columns));
  const column = columns.find((each) => !used.has(each.name) && shareOf(each, isLastLine) > 0.5 && !saysParcel(each));
  if (!column || !mapping.mail_address || mapping.mail_city) return [];
  return [
    `${column.name} has cities with their state (${column.values.find(isLastLine)}): ${parts.filter((part) => !mapping[part]).join(', ')} stay ` +
      `empty. If they are the owners\u2019, --map mail_city=${column.name} reads each from its part.`,
  ];
}

const saysParcel = ({ name }: SampledColumn): boolean =>
  readName(name).some(({ concepts }) => ofParcel.some((concept) => concepts.includes(concept)));
