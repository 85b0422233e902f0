import { assemblePolygons, type Ring } from './assemble-polygons.js';
import { isTooDeep } from './nesting.js';
import { parseCoordinates } from './parse-coordinates.js';
import { brokenRow, type Properties, row, type SourceGeometry, type SourceRow } from './source.js';
import { decodeText } from './text-encoding.js';

interface FeatureJson {
  id?: unknown;
  properties?: Properties | null;
  geometry?: (SourceGeometry & EsriGeometry) | null;
  /** Esri's own JSON, which ArcGIS servers give for `f=json`. */
  attributes?: Properties;
}

interface EsriGeometry {
  rings?: Ring[];
  x?: unknown;
  y?: unknown;
}

/** One feature's text as a row. Understands GeoJSON, Esri's JSON, and plain objects with or without a `geometry` member. */
export function parseFeature(number: number, bytes: Buffer): SourceRow {
  const quick = parseWithCoordinates(bytes);
  if (quick) return row(number, propertiesOf(quick), quick.geometry!);
  const text = decodeText(bytes);
  let feature: FeatureJson;
  try {
    feature = JSON.parse(text);
  } catch (error) {
    return brokenRow(number, `Not valid JSON: ${(error as Error).message}`, text);
  }
  if (feature === null || typeof feature !== 'object' || Array.isArray(feature)) return brokenRow(number, 'Not a feature', text);
  if (isTooDeep(feature)) return brokenRow(number, 'Nested too deeply', text);
  return row(number, propertiesOf(feature), geometryOf(feature));
}

// Within a string its quotes would be escaped, so this is always a key.
const coordinatesKey = Buffer.from('"coordinates":[');

/** A feature whose coordinates are read by themselves, and the rest by JSON.parse. Null where that is not possible. */
function parseWithCoordinates(bytes: Buffer): FeatureJson | null {
  const key = bytes.lastIndexOf(coordinatesKey);
  if (key < 0) return null;
  const start = key + coordinatesKey.length - 1;
  try {
    const coordinates = parseCoordinates(bytes, start);
    if (!coordinates) return null;
    const text = `${decodeText(bytes.subarray(0, start))}0${decodeText(bytes.subarray(coordinates.end))}`;
    const feature: FeatureJson = JSON.parse(text);
    const { geometry } = feature;
    if (typeof geometry?.type !== 'string' || geometry.coordinates !== 0 || isTooDeep(feature)) return null;
    geometry.coordinates = coordinates.value;
    return feature;
  } catch {
    return null; // no JSON
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
  if (typeof geometry.type === 'string') return geometry;
  if (Array.isArray(geometry.rings)) return assemblePolygons(geometry.rings);
  if (geometry.x !== undefined) return { type: 'Point', coordinates: [geometry.x, geometry.y] };
  return null;
}
