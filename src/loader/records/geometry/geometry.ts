import { count } from '../../../core/format-numbers.js';
import { isInside, type Polygon, type Ring, signedSquareMetres, unitsPerDegree } from '../../formats/shapes/ring.js';
import type { SourceGeometry } from '../../formats/source-row.js';
import { cutAtAntimeridian, unwrap, unwrapLongitude, withinRange } from './antimeridian.js';
import { crossesItself } from './crosses-itself.js';
import type { ToWgs84 } from './crs.js';
import { distinctPolygons } from './distinct-polygons.js';
import { pointOnPolygon } from './point-on-polygon.js';

/** A parcel's shape, point and area. */
export interface ParcelLocation {
  /** As RFC 7946 requires; empty if the source has no area. */
  polygons: Polygon[];
  longitude: number;
  latitude: number;
  gisAcres: number | null;
}

// A position with a height and a measure.
const longestPosition = 4;

// A record with this many takes 50 MB of memory when loaded or read. The largest real parcels have some ten thousand positions.
const maxPositions = 2_000_000;

// Edges are compared with those beside them: in a star of a million corners, with most others.
const maxChecked = 10_000;

const squareMetresPerAcre = 4046.8564224;

const notOnEarth = 'The coordinates are not a place on Earth';

/**
 * Converts a source geometry to WGS84: closes rings, drops those without area, orients them as RFC 7946 requires, cuts them at the
 * antimeridian, and finds a point on the parcel. Null if there is neither area nor point.
 * @param note takes what is dropped of a shape that keeps its area or point, and whether it crosses itself, as beginnings of sentences
 * @throws Error if coordinates are invalid or not on Earth
 */
export function locationOf(geometry: SourceGeometry, toWgs84: ToWgs84, note: Note = () => {}): ParcelLocation | null {
  const parts: Parts = { polygons: [], lines: 0, points: [] };
  collect(geometry, parts);
  const polygons: Polygon[] = [];
  let ringsWithoutArea = 0;
  for (const part of parts.polygons) {
    const { found, dropped } = readPolygons(part, toWgs84);
    for (const polygon of found) polygons.push(...cutAtAntimeridian(polygon));
    ringsWithoutArea += dropped;
  }
  if (polygons.length === 0) {
    note('Parts of shapes dropped as further points', parts.points.length - 1);
    return parts.points.length === 0 ? null : pointLocation(parts.points[0] as (number | null)[], toWgs84);
  }
  const distinct = distinctPolygons(polygons);
  const location = areaLocation(distinct);
  note('Parts of shapes dropped without an area', ringsWithoutArea);
  note('Parts of shapes dropped as they repeat another', polygons.length - distinct.length);
  note('Parts of shapes dropped as lines', parts.lines);
  note('Parts of shapes dropped as points', parts.points.length);
  const isLarge = distinct.some(({ rings }) => rings.reduce((sum, { length }) => sum + length, 0) > 2 * maxChecked);
  note(`Shapes of more than ${count(maxChecked)} positions, not checked for crossings`, Number(isLarge));
  note('Shapes that cross themselves, kept as is', Number(!isLarge && distinct.some(crossesItself)));
  return location;
}

/** Takes the beginning of a sentence, and how often it happened. */
export type Note = (what: string, times: number) => void;

interface Parts {
  polygons: unknown[];
  lines: number;
  points: unknown[];
}

/** Why a shape has neither area nor point, as the end of a sentence; null if it has none of its own. */
export function whyDropped(geometry: SourceGeometry): string | null {
  const types = typesIn(geometry);
  if (types.every((type) => pointTypes.has(type))) return types.length === 0 ? 'as empty' : null;
  return types.every((type) => lineTypes.has(type)) ? 'as lines' : 'without an area, as they are degenerate or cross themselves';
}

/** The types of the parts that have coordinates. */
function typesIn({ type, coordinates, geometries }: SourceGeometry): string[] {
  if (type === 'GeometryCollection') return (geometries ?? []).flatMap(typesIn);
  return Array.isArray(coordinates) && coordinates.flat(3).length > 0 ? [type] : [];
}

const pointTypes = new Set(['Point', 'MultiPoint']);

function collect({ type, coordinates, geometries }: SourceGeometry, parts: Parts): void {
  if (type === 'GeometryCollection') for (const member of geometries ?? []) collect(member, parts);
  else if (!Array.isArray(coordinates) || coordinates.length === 0) return;
  else if (type === 'Polygon') parts.polygons.push(coordinates);
  else if (type === 'MultiPolygon') for (const polygon of coordinates) parts.polygons.push(polygon);
  else if (type === 'Point') parts.points.push(coordinates);
  else if (type === 'MultiPoint') parts.points.push(...positionsOf(coordinates));
  else if (lineTypes.has(type)) parts.lines += type === 'LineString' ? 1 : coordinates.length;
  else throw new Error('The geometry has a type that GeoJSON does not have');
}

/** The positions of an array that may be flat. */
const positionsOf = (coordinates: unknown[]): unknown[] =>
  typeof coordinates[0] === 'number'
    ? Array.from({ length: coordinates.length / 2 }, (_, i) => coordinates.slice(2 * i, 2 * i + 2))
    : coordinates;

const lineTypes = new Set(['LineString', 'MultiLineString']);

/** One polygon, or several if an exporter put separate outer rings into one, and how many rings have no area. */
function readPolygons(coordinates: unknown, toWgs84: ToWgs84): { found: Polygon[]; dropped: number } {
  if (!Array.isArray(coordinates)) throw new Error('The coordinates are not a polygon');
  const rings: SizedRing[] = [];
  let dropped = 0;
  for (const positions of coordinates) {
    const ring = readRing(positions, toWgs84);
    const signed = ring === null ? 0 : signedSquareMetres(ring);
    if (ring !== null && signed !== 0) rings.push({ ring, signed });
    else if (positions.length > 0) dropped++;
    if (rings.length === 0) return { found: [], dropped }; // holes of nothing
  }
  const found = polygonsOf(rings) ?? polygonsOf(rings.toSorted((a, b) => Math.abs(b.signed) - Math.abs(a.signed)))!;
  return { found, dropped };
}

interface SizedRing {
  ring: Ring;
  signed: number;
}

/** Null if a ring comes before the one around it, as some exporters write them. */
function polygonsOf(found: SizedRing[]): Polygon[] | null {
  const polygons: Polygon[] = [];
  const sizes: number[] = [];
  for (const each of found) {
    const { ring } = each;
    const size = Math.abs(each.signed);
    const owner = polygons.findIndex(({ rings }) => !areApart(rings[0]!, ring));
    if (owner >= 0 && size > sizes[owner]!) return null;
    if (each.signed > 0 !== owner < 0) {
      reverse(ring);
      each.signed = -each.signed;
    }
    if (owner < 0) {
      polygons.push({ rings: [ring], squareMetres: size });
      sizes.push(size);
    } else {
      polygons[owner]!.rings.push(ring);
      polygons[owner]!.squareMetres -= size;
    }
  }
  return polygons;
}

/** Whether neither ring lies within the other; they may share corners and edges. */
const areApart = (one: Ring, other: Ring): boolean => !holds(one, other) && !holds(other, one);

function holds(outer: Ring, inner: Ring): boolean {
  const [x, y] = pointOnPolygon({ rings: [inner], squareMetres: 0 });
  return isInside([outer], unwrapLongitude(x, outer), y);
}

/** Reads a flat ring, or an array of positions. */
function readRing(positions: unknown, toWgs84: ToWgs84): Ring | null {
  if (!Array.isArray(positions)) throw new Error('The coordinates are not a polygon');
  const ring: Ring = [];
  if (typeof positions[0] === 'number') {
    for (let i = 0; i < positions.length; i += 2) addPosition(ring, positions[i], positions[i + 1], toWgs84);
  } else {
    for (const position of positions as number[][]) {
      if (!Array.isArray(position) || position.length > longestPosition) throw new Error('The coordinates are not a polygon');
      addPosition(ring, position[0]!, position[1]!, toWgs84);
    }
  }
  const { length } = ring;
  if (length > 0 && (ring[0] !== ring[length - 2] || ring[1] !== ring[length - 1])) ring.push(ring[0]!, ring[1]!);
  unwrap(ring);
  return ring.length < 8 ? null : ring;
}

function addPosition(ring: Ring, sourceX: number | null, sourceY: number | null, toWgs84: ToWgs84): void {
  if (sourceX === null || sourceY === null) throw new Error(notOnEarth);
  const [longitude, latitude] = toWgs84(sourceX, sourceY);
  const x = withinRange(Math.round(longitude * unitsPerDegree));
  const y = Math.round(latitude * unitsPerDegree);
  // NaN fails this check, too.
  if (!(Math.abs(x) <= 180 * unitsPerDegree && Math.abs(y) <= 90 * unitsPerDegree)) throw new Error(notOnEarth);
  const { length } = ring;
  if (length === 0 || ring[length - 2] !== x || ring[length - 1] !== y) ring.push(x, y);
}

function reverse(ring: Ring): void {
  for (let i = 0, j = ring.length - 2; i < j; i += 2, j -= 2) {
    const x = ring[i]!;
    const y = ring[i + 1]!;
    ring[i] = ring[j]!;
    ring[i + 1] = ring[j + 1]!;
    ring[j] = x;
    ring[j + 1] = y;
  }
}

function areaLocation(polygons: Polygon[]): ParcelLocation {
  let largest = polygons[0]!;
  let squareMetres = 0;
  let numbers = 0;
  for (const polygon of polygons) {
    for (const ring of polygon.rings) numbers += ring.length;
    squareMetres += polygon.squareMetres;
    if (polygon.squareMetres > largest.squareMetres) largest = polygon;
  }
  if (numbers > 2 * maxPositions) throw new Error(`The shape has more than ${maxPositions} positions`);
  const [x, y] = pointOnPolygon(largest);
  return {
    polygons,
    longitude: x / unitsPerDegree,
    latitude: y / unitsPerDegree,
    gisAcres: Math.round((squareMetres / squareMetresPerAcre) * 10_000) / 10_000,
  };
}

function pointLocation([x, y]: (number | null)[], toWgs84: ToWgs84): ParcelLocation {
  const position: Ring = [];
  addPosition(position, x ?? null, y ?? null, toWgs84);
  return { polygons: [], longitude: position[0]! / unitsPerDegree, latitude: position[1]! / unitsPerDegree, gisAcres: null };
}
