import type { ColumnMeta } from 'flatgeobuf/lib/mjs/column-meta.js';
import { ColumnType } from 'flatgeobuf/lib/mjs/flat-geobuf/column-type.js';
import type { Feature } from 'flatgeobuf/lib/mjs/flat-geobuf/feature.js';
import type { Properties } from '../source.js';

export const isLong = ({ type }: ColumnMeta): boolean => type === ColumnType.Long || type === ColumnType.ULong;

const bytesOf: Partial<Record<ColumnType, number>> = {
  [ColumnType.Bool]: 1,
  [ColumnType.Byte]: 1,
  [ColumnType.UByte]: 1,
  [ColumnType.Short]: 2,
  [ColumnType.UShort]: 2,
  [ColumnType.Int]: 4,
  [ColumnType.UInt]: 4,
  [ColumnType.Long]: 8,
  [ColumnType.ULong]: 8,
  [ColumnType.Float]: 4,
  [ColumnType.Double]: 8,
};

/** The whole numbers of a feature that no double holds, as texts of their digits: the library rounds them. */
export function roundedLongs(feature: Feature, columns: ColumnMeta[]): Properties {
  const bytes = feature.propertiesArray()!;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const found: Properties = {};
  let at = 0;
  while (at < bytes.length) {
    const column = columns[view.getUint16(at, true)]!;
    at += 2;
    if (isLong(column)) {
      const value = column.type === ColumnType.Long ? view.getBigInt64(at, true) : view.getBigUint64(at, true);
      if (!Number.isSafeInteger(Number(value))) found[column.name] = String(value);
    }
    // Texts and bytes of any length have it before them.
    at += bytesOf[column.type] ?? 4 + view.getUint32(at, true);
  }
  return found;
}
