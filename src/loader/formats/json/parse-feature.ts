import { assemblePolygons } from '../shapes/assemble-polygons.js';
import { brokenRow, type FlatRing, type Properties, row, type SourceGeometry, type SourceRow } from '../source-row.js';
import { decodeText } from '../text-encoding.js';
import { linesOfCurveRing } from './esri-curves.js';
import { withExactIntegers } from './long-integers.js';
import { parseCoordinates } from './parse-coordinates.js';

interface FeatureJson {
  id?: unknown;
  properties?: Properties | null;
  geometry?: (Partial<SourceGeometry> & EsriGeometry) | null;
  /** Esri JSON, which ArcGIS servers return for `f=json`. */
  attributes?: Properties;
}

interface EsriGeometry {
  rings?: unknown;
  curveRings?: unknown;
  paths?: unknown;
  x?: unknown;
  y?: unknown;
}

/** Parses one feature: GeoJSON, Esri JSON, or a plain object with or without a `geometry` member. */
export function parseFeature(number: number, bytes: Buffer): SourceRow {
  if (bytes.length === 0) return brokenRow(number, 'Larger than 128 MB', '');
  const quick = parseWithCoordinates(bytes);
  if (quick) return row(number, propertiesOf(quick), geometryOf(quick));
  const text = decodeText(bytes);
  let feature: FeatureJson;
  try {
    feature = parseJson(withExactIntegers(text)) as FeatureJson;
  } catch (error) {
    return brokenRow(number, `Not valid JSON: ${(error as Error).message}`, text);
  }
  if (feature === null || typeof feature !== 'object' || Array.isArray(feature)) return brokenRow(number, 'Not a feature', text);
  if (isTooDeep(feature)) return brokenRow(number, 'Nested too deeply', text);
  try {
    return row(number, propertiesOf(feature), geometryOf(feature));
  } catch (error) {
    return brokenRow(number, (error as Error).message, text); // a curve
  }
}

/** Accepts the `NaN` and `Infinity` that Python writes for missing numbers, although they are not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const finite = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/g, (token) => (token.startsWith('"') ? token : 'null'));
    if (finite === text) throw error;
    return JSON.parse(finite);
  }
}

// Always keys: within a string the quotes would be escaped.
const coordinatesKey = Buffer.from('"coordinates"');
const ringsKey = Buffer.from('"rings"');

/** Reads the coordinates with our own reader and the rest with JSON.parse. Null if that is not possible. */
function parseWithCoordinates(bytes: Buffer): FeatureJson | null {
  const start = arrayAfter(bytes, coordinatesKey) ?? arrayAfter(bytes, ringsKey);
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
    return null; // not JSON
  }
}

/** The position of the array that is the value of the last key of this name. */
function arrayAfter(bytes: Buffer, key: Buffer): number | null {
  const at = bytes.lastIndexOf(key);
  if (at < 0) return null;
  const colon = skipSpace(bytes, at + key.length);
  if (bytes[colon] !== 0x3a) return null;
  const start = skipSpace(bytes, colon + 1);
  return bytes[start] === 0x5b ? start : null;
}

function skipSpace(bytes: Buffer, start: number): number {
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
  if (Array.isArray(geometry.curveRings)) return assemblePolygons(geometry.curveRings.filter(Array.isArray).map(linesOfCurveRing));
  if (Array.isArray(geometry.paths)) return { type: 'MultiLineString', coordinates: geometry.paths };
  if (geometry.x !== undefined && !isBlank(geometry.x)) return { type: 'Point', coordinates: [geometry.x, geometry.y] };
  return null;
}

/** Whether x is that of an empty Esri point. */
const isBlank = (x: unknown): boolean => x === null || x === 'NaN';

function flatRing(ring: unknown[]): FlatRing {
  return Array.isArray(ring[0]) ? (ring as FlatRing[]).flatMap(([x, y]) => [x!, y!]) : (ring as FlatRing);
}

// Geometries need ten at most.
const maxLevels = 50;

/** Whether a value is nested so deeply that walking through it could exhaust the stack. JSON.parse has no limit of its own. */
export function isTooDeep(value: object, levels = maxLevels): boolean {
  if (levels === 0) return true;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof member === 'object' && member !== null && isTooDeep(member, levels - 1)) return true;
  }
  return false;
}

/** A quick check of the JSON text: nearly all texts have too few brackets, and counting takes a quarter of the time. */
const mayBeTooDeep = (text: string): boolean => hasMany(text, '{') || hasMany(text, '[');

function hasMany(text: string, bracket: string): boolean {
  let at = -1;
  for (let count = 0; count < maxLevels / 2; count++) {
    at = text.indexOf(bracket, at + 1);
    if (at < 0) return false;
  }
  return true;
}
