import { type MappableField, type Mapping, mappableFields } from '../columns/fields.js';
import type { SourceRow } from '../formats/source.js';
import { FieldReader, fieldNumber } from '../records/field-reader.js';
import { BeyondReason } from '../values/outliers.js';
import type { JoinPlan } from './join-columns.js';
import { areMany, byNumber } from './several-years.js';

const ofSales: ReadonlySet<MappableField> = new Set(['sale_date', 'sale_price']);

/**
 * Says that a file has a row for each sale of a parcel, each of which would be a record. Rows that differ in anything else that is read may
 * be the units of a building.
 * @param rows the sampled ones, of the roll where there is one
 */
export function severalSalesWarnings(mapping: Mapping, rows: SourceRow[], join: JoinPlan | null): string[] {
  const column = (mapping.sale_date ?? mapping.sale_price)?.columns[0];
  if (column === undefined) return [];
  const read = new FieldReader(byNumber(mapping, join), new BeyondReason());
  const fields = mappableFields.filter((field) => mapping[field]);
  const [sold, lasting] = [fields.filter((field) => ofSales.has(field)), fields.filter((field) => !ofSales.has(field))];
  const distinct = (some: SourceRow[], of: MappableField[]) =>
    new Set(
      some.map((row) => {
        read.turnTo(row);
        return JSON.stringify(of.map((field) => read.text(fieldNumber[field])));
      }),
    ).size;
  const parcels = new Map<string, SourceRow[]>();
  for (const row of rows) {
    if (row.fault !== null) continue;
    read.turnTo(row);
    const apn = read.parcelNumber();
    if (apn === null) continue;
    const own = parcels.get(apn);
    if (own) own.push(row);
    else parcels.set(apn, [row]);
  }
  const several = [...parcels.values()].filter((own) => own.length > 1 && distinct(own, sold) > 1 && distinct(own, lasting) === 1).length;
  if (!areMany(several, parcels.size)) return [];
  return [
    `${several} of the first ${parcels.size} parcel numbers come again with nothing but another ${column}, and each sale becomes a record of ` +
      `its own: leave only the latest of each parcel in the ${join ? 'roll' : 'file'}.`,
  ];
}
