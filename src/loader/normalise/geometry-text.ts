import wkx from 'wkx';
import { isTooDeep } from '../sources/nesting.js';
import type { SourceGeometry } from '../sources/source.js';

// wkx takes time that grows with the square of the length, and exhausts the stack by collections within collections.
const maxTextLength = 1024 ** 2;
const maxCollections = 20;

/**
 * A geometry out of a table's cell: WKT, EWKT, hexadecimal WKB or GeoJSON.
 * @throws Error when it is none of them
 */
export function parseGeometryText(text: string): SourceGeometry {
  try {
    if (text.startsWith('{')) return fromJson(text);
    if (text.length > maxTextLength) throw new Error('it is longer than any parcel');
    if (text.split(/geometrycollection/i, maxCollections).length === maxCollections) throw new Error(tooDeep);
    const geometry = /^[0-9a-f]+$/i.test(text) ? wkx.Geometry.parse(Buffer.from(text, 'hex')) : wkx.Geometry.parse(text);
    return geometry.toGeoJSON() as SourceGeometry;
  } catch (error) {
    const reason = error instanceof RangeError ? tooDeep : (error as Error).message;
    throw new Error(`The geometry can't be read: ${reason}`);
  }
}

const tooDeep = 'it is nested too deeply';

function fromJson(text: string): SourceGeometry {
  const geometry = JSON.parse(text);
  if (isTooDeep(geometry)) throw new Error(tooDeep);
  return geometry;
}
