import { isTooDeep } from '../sources/nesting.js';
import type { SourceGeometry } from '../sources/source.js';
import { parseWkb, type StatedGeometry } from '../sources/wkb.js';
import { parseWkt } from '../sources/wkt.js';

/**
 * A geometry out of a table's cell: WKT, EWKT, WKB or EWKB in hexadecimal digits, or GeoJSON.
 * @throws Error when it is none of them
 */
export function parseGeometryText(text: string): StatedGeometry {
  try {
    if (text.startsWith('{')) return { geometry: fromJson(text), srid: null };
    // Postgres writes binary values as \x…, others as 0x….
    const hexadecimal = /^(?:\\x|0x)?([0-9a-f]+)$/i.exec(text)?.[1];
    return hexadecimal === undefined ? parseWkt(text) : parseWkb(Buffer.from(hexadecimal, 'hex'));
  } catch (error) {
    throw new Error(`The geometry can't be read: ${(error as Error).message}`);
  }
}

function fromJson(text: string): SourceGeometry {
  const geometry = JSON.parse(text);
  if (isTooDeep(geometry)) throw new Error('it is nested too deeply');
  return geometry;
}
