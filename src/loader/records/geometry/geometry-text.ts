import type { Mapping } from '../../columns/fields.js';
import { isTooDeep } from '../../formats/json/parse-feature.js';
import { type GeometryWithSrid, parseWkb } from '../../formats/shapes/wkb.js';
import { parseWkt } from '../../formats/shapes/wkt.js';
import type { Properties, SourceGeometry } from '../../formats/source-row.js';
import { textOf } from '../../values/values.js';

/**
 * Parses a geometry in a table's cell: WKT, EWKT, hexadecimal WKB or EWKB, or GeoJSON.
 * @throws Error if it is none of these
 */
export function parseGeometryText(text: string): GeometryWithSrid {
  try {
    if (text.startsWith('{')) return { geometry: fromJson(text), srid: null };
    // Postgres writes binary values as \x…, others as 0x….
    const hexadecimal = /^(?:\\x|0x)?([0-9a-f]+)$/i.exec(text)?.[1];
    return hexadecimal === undefined ? parseWkt(text) : parseWkb(Buffer.from(hexadecimal, 'hex'));
  } catch (error) {
    throw new Error(`The geometry can't be read: ${(error as Error).message}`);
  }
}

/** The geometry in the row's mapped geometry column. */
export function textGeometry(properties: Properties, mapping: Mapping): GeometryWithSrid | null {
  const column = mapping.geometry?.columns[0];
  const text = column === undefined ? null : textOf(properties[column]);
  return text === null ? null : parseGeometryText(text);
}

function fromJson(text: string): SourceGeometry {
  const geometry = JSON.parse(text);
  if (isTooDeep(geometry)) throw new Error('it is nested too deeply');
  return geometry;
}
