import { assemblePolygons } from '../shapes/assemble-polygons.js';
import { brokenRow, type FlatRing, type Properties, row, type SourceGeometry, type SourceRow } from '../source.js';
import { decodeText } from '../text-encoding.js';
import { withExactIntegers } from './long-integers.js';
import { isTooDeep, mayBeTooDeep } from './nesting.js';
import { parseCoordinates } from './parse-coordinates.js';

interface FeatureJson {
  id?: unknown;
  properties?: Properties | null;
  geometry?: (Partial<SourceGeometry> & EsriGeometry) | null;
  /** Esri's own JSON, which ArcGIS servers give for `f=json`. */
  attributes?: Properties;
}

interface EsriGeometry {
  rings?: unknown;
  curveRings?: unknown;
  x?: unknown;
  y?: unknown;
}

/** One feature's text as a row. Understands GeoJSON, Esri's JSON, and plain objects with or without a `geometry` member. */
export function parseFeature(number: number, bytes: Buffer): SourceRow {
  if (bytes.length === 0) return brokenRow(number, 'Larger than 128 MB', '');
  const quick = parseWithCoordinates(bytes);
  if (quick) return row(number, propertiesOf(quick), geometryOf(quick));
  const text = decodeText(bytes);
  let feature: FeatureJson;
  try {
    feature = featureOf(withExactIntegers(text));
  } catch (error) {
    return brokenRow(number, `Not valid JSON: ${(error as Error).message}`, text);
  }
  if (feature === null || typeof feature !== 'object' || Array.isArray(feature)) return brokenRow(number, 'Not a feature', text);
  if (isTooDeep(feature)) return brokenRow(number, 'Nested too deeply', text);
  if (feature.geometry?.curveRings) return brokenRow(number, 'It has curves, which have to be turned into lines', text);
  return row(number, propertiesOf(feature), geometryOf(feature));
}

/** Python writes `NaN` and `Infinity` where a number is missing, which no JSON has. */
function featureOf(text: string): FeatureJson {
  try {
    return JSON.parse(text);
  } catch (error) {
    const finite = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/g, (token) => (token.startsWith('"') ? token : 'null'));
    if (finite === text) throw error;
    return JSON.parse(finite);
  }
}

// Within a string its quotes would be escaped, so these are always keys.
const coordinatesKey = Buffer.from('"coordinates"');
const ringsKey = Buffer.from('"rings"');

/** A feature whose coordinates are read by themselves, and the rest by JSON.parse. Null where that is not possible. */
function parseWithCoordinates(bytes: Buffer): FeatureJson | null {
  const start = arrayBehind(bytes, coordinatesKey) ?? arrayBehind(bytes, ringsKey);
  if (start === null) return null;
  try {
    const coordinates = parseCoordinates(bytes, start);
    if (!coordinates) return null;
    const text = `${decodeText(bytes.subarray(0, start))}0${decodeText(bytes.subarray(coordinates.end))}`;
    const feature: FeatureJson = JSON.parse(withExactIntegers(text));
    const { geometry } = feature;
    if (!geometry || (mayBeTooDeep(text) && isTooDeep(feature))) return null;
    if (geometry.coordinates === 0) geometry.coordinates = coordinates.value;
    else if (geometry.rings === 0) geometry.rings = coordinates.value;
    else return null;
    return feature;
  } catch {
    return null; // no JSON
  }
}

/** Where the array starts that the last key of this name has as its value. */
function arrayBehind(bytes: Buffer, key: Buffer): number | null {
  const at = bytes.lastIndexOf(key);
  if (at < 0) return null;
  const colon = behindSpace(bytes, at + key.length);
  if (bytes[colon] !== 0x3a) return null;
  const start = behindSpace(bytes, colon + 1);
  return bytes[start] === 0x5b ? start : null;
}

function behindSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}

function propertiesOf(feature: FeatureJson): Properties {
  if (feature.properties) return feature.properties;
  if (feature.attributes) return feature.attributes;
  const { geometry, properties, ...members } = feature as FeatureJson & { type?: unknown };
  if (members.type === 'Feature') delete members.type;
  return members as Properties;
}

function geometryOf({ geometry }: FeatureJson): SourceGeometry | null {
  if (!geometry || typeof geometry !== 'object') return null;
  if (typeof geometry.type === 'string') return geometry as SourceGeometry;
  if (Array.isArray(geometry.rings)) return assemblePolygons(geometry.rings.filter(Array.isArray).map(flatRing));
  if (geometry.x !== undefined && !isBlank(geometry.x)) return { type: 'Point', coordinates: [geometry.x, geometry.y] };
  return null;
}

/** Of Esri's empty points. */
const isBlank = (x: unknown): boolean => x === null || x === 'NaN';

function flatRing(ring: unknown[]): FlatRing {
  return Array.isArray(ring[0]) ? (ring as FlatRing[]).flatMap(([x, y]) => [x!, y!]) : (ring as FlatRing);
}
