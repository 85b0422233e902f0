import wkx from 'wkx';
import type { SourceGeometry } from '../sources/source.js';

/**
 * A geometry out of a table's cell: WKT, EWKT, hexadecimal WKB or GeoJSON.
 * @throws Error when it is none of them
 */
export function parseGeometryText(text: string): SourceGeometry {
  try {
    if (text.startsWith('{')) return JSON.parse(text);
    const geometry = /^[0-9a-f]+$/i.test(text) ? wkx.Geometry.parse(Buffer.from(text, 'hex')) : wkx.Geometry.parse(text);
    return geometry.toGeoJSON() as SourceGeometry;
  } catch (error) {
    throw new Error(`The geometry can't be read: ${(error as Error).message}`);
  }
}
