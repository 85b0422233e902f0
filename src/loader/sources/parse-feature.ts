import { assemblePolygons, type Ring } from './assemble-polygons.js';
import { isTooDeep } from './nesting.js';
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
