import { assemblePolygons } from '../shapes/assemble-polygons.js';
import { brokenRow, type FlatRing, type Properties, row, type SourceGeometry, type SourceRow } from '../source-row.js';
import { decodeText } from '../text-encoding.js';
import { linesOfCurveRing } from './esri-curves.js';
import { withExactIntegers } from './long-integers.js';

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
  const text = decodeText(bytes);
  const quick = parseWithCoordinates(text);
  if (quick) return row(number, propertiesOf(quick), geometryOf(quick));
  let feature: FeatureJson;
  try {
    feature = parseJson(withExactIntegers(text)) as FeatureJson;
  } catch (error) {
    // Newer versions of Node count lines within the row.
    return brokenRow(number, `Not valid JSON: ${(error as Error).message.replace(/ \(line.*/, '')}`, text);
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

// Always keys: within a string the quotes would be escaped. The value's last bracket is its own, since it is the member of an object.
const coordinates = /("(?:coordinates|rings)"\s*:\s*)(\[[[\]\d.,\s+eE-]*\])/g;
const position = /\[([^[\],]+,[^[\],]+)(?:,\s*-?\d[\d.eE+-]*\s*)*\]/g;

// As many as a MultiPolygon has.
const coordinateLevels = 4;

/**
 * Parses the coordinates apart from the rest: a ring becomes one flat array, without heights. Arrays of two numbers would take ten times the
 * memory. Null if that is not possible.
 */
function parseWithCoordinates(text: string): FeatureJson | null {
  const found = [...text.matchAll(coordinates)].at(-1);
  if (!found) return null;
  try {
    const [whole, key, list] = found as unknown as [string, string, string];
    const rest = `${text.slice(0, found.index)}${key}0${text.slice(found.index + whole.length)}`;
    const feature: FeatureJson = JSON.parse(withExactIntegers(rest));
    const { geometry } = feature;
    if (!geometry || isTooDeep(feature)) return null;
    const member = geometry.coordinates === 0 ? 'coordinates' : 'rings';
    if (geometry[member] !== 0) return null;
    // The first bracket stays, in case the list is one position. The space keeps numbers apart where a comma is missing.
    const value: unknown[] = JSON.parse(`[${list.slice(1).replace(position, ' $1')}`);
    if (isTooDeep(value, coordinateLevels + 1)) return null;
    geometry[member] = value;
    return feature;
  } catch {
    return null; // not JSON
  }
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
