import { type FieldSource, type Mapping, plainName } from '../columns/fields.js';
import { type SampledColumn, shareOf } from '../columns/sampled-column.js';
import type { SourceRow } from '../formats/source-row.js';
import type { CoordinateSystem } from '../records/geometry/crs.js';
import { RecordBuilder } from '../records/record.js';
import { isSquareFeetUnit, numberOf, squareFeetAnAcre, textOf } from '../values/values.js';

/** The sampled rows of a file. */
type Located = { crs: CoordinateSystem; sample: SourceRow[] };

const enoughShapes = 3;
const mostShapes = 200;
// Shapes are drawn and lots recorded roughly, but the median differs by no more than this.
const closeFactor = 3;

/**
 * The source of acres with its unit: from a column of units beside it, or from what the shapes measure. The source stays as it is when
 * neither tells.
 */
export function acresByUnits(mapping: Mapping, columns: SampledColumn[], sources: Located[]): FieldSource | undefined {
  const { acres } = mapping;
  const [column, ...others] = acres?.columns ?? [];
  if (column === undefined || others.length > 0) return acres;
  const units = columns.find((each) => areUnits(each, plainName(column)));
  return units ? { ...acres, columns: [column, units.name] } : acresByShapes(mapping, column, sources);
}

// The others are front feet and typing errors.
const minUnits = 0.9;

/** Whether a column holds the unit of each area and shares the area column's name: `LOT_UNITS` beside `LOT_SIZE`. */
function areUnits(column: SampledColumn, area: string): boolean {
  const [, stem] = /^(.*?)(?:units?|uom)$/.exec(column.plain) ?? [];
  return stem !== undefined && area.startsWith(stem) && shareOf(column, (unit) => isSquareFeetUnit(unit) !== null) >= minUnits;
}

function acresByShapes(mapping: Mapping, column: string, sources: Located[]): FieldSource | undefined {
  const { acres } = mapping;
  const ratios = sources.flatMap((source) => ratiosOf(column, mapping, source)).sort((a, b) => a - b);
  const ratio = ratios[ratios.length >> 1] ?? 0;
  if (ratios.length < enoughShapes) return acres;
  if (isClose(ratio, 1)) return { columns: [column] };
  return isClose(ratio, squareFeetAnAcre) ? { columns: [column], unit: 'square feet' } : acres;
}

const isClose = (ratio: number, expected: number): boolean => ratio < expected * closeFactor && ratio * closeFactor > expected;

function ratiosOf(column: string, mapping: Mapping, { crs, sample }: Located): number[] {
  const facts = { releaseId: 0, county: { fips: '', name: '', state: '' }, part: null, source: '', sourceDate: null };
  const builder = new RecordBuilder(facts, mapping, crs);
  const ratios: number[] = [];
  for (const row of sample) {
    const area = numberOf(textOf(row.properties[column])) ?? 0;
    if (area <= 0) continue;
    const record = builder.build(row);
    const measured = 'location' in record ? record.location?.gisAcres : null;
    if (measured) ratios.push(area / measured);
    if (ratios.length === mostShapes) break;
  }
  return ratios;
}
