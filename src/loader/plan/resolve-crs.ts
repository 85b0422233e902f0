import { refusal } from '../../core/errors.js';
import type { Outline } from '../../counties/outlines/outline.js';
import type { Mapping } from '../columns/fields.js';
import { unitsPerDegree } from '../formats/shapes/ring.js';
import type { Source } from '../formats/source.js';
import type { Properties, SourceRow } from '../formats/source-row.js';
import { withinRange } from '../records/geometry/antimeridian.js';
import { type CoordinateSystem, coordinateSystem, wgs84, withLatitudeFirst } from '../records/geometry/crs.js';
import { fittingSystems } from '../records/geometry/fitting-systems.js';
import { textGeometry } from '../records/geometry/geometry-text.js';
import { numberOf, textOf } from '../values/values.js';
import { firstPosition } from './sample-source.js';

type Position = [x: number, y: number];

/**
 * The coordinate system of a file, from the option, the file's own statement or the SRID in a geometry column.
 * @param given the `--crs` option
 * @param county its outline, to name a system that fits
 * @throws AppError when the sampled positions contradict it
 */
export function crsOfSource(
  source: Pick<Source, 'name' | 'crs'>,
  sample: SourceRow[],
  mapping: Mapping,
  given: string | undefined,
  county: Outline | null = null,
): CoordinateSystem {
  const srid = source.crs || given ? null : sample.map(({ properties }) => readableGeometry(properties, mapping)?.srid).find(Boolean);
  const crs = resolveCrs(source.name, srid ? `EPSG:${srid}` : source.crs, given, positionsOf(sample, mapping), county);
  refuseDegrees(source.name, crs, sample.map((row) => shapePosition(row, mapping)).filter(isKnown));
  return srid ? { ...crs, srid } : crs;
}

const isKnown = (position: Position | null): position is Position => position !== null;

/**
 * Decides how a file's positions become longitude and latitude. The operator's choice comes first, then the file's statement. Without
 * either, positions are longitude and latitude if their values allow it. Latitude written before longitude is recognized.
 * @throws AppError when the positions can't be longitude and latitude and no coordinate system is known
 */
export function resolveCrs(
  name: string,
  stated: string | null,
  given: string | undefined,
  positions: Position[],
  county: Outline | null = null,
): CoordinateSystem {
  const text = given ?? stated;
  const crs = text === null || text === undefined ? wgs84 : coordinateSystem(text);
  if (!crs.isGeographic || positions.length === 0) return crs;
  const swapped = share(positions, ([x, y]) => isLongitudeOfUs(y) && isLatitudeOfUs(x));
  const straight = share(positions, ([x, y]) => isLongitudeOfUs(x) && isLatitudeOfUs(y));
  if (swapped > 0.9 && straight < 0.1) {
    const warnings = [...crs.warnings, `${name} has latitude before longitude; they were swapped.`];
    return { ...withLatitudeFirst(crs), warnings };
  }
  if (share(positions, isWithinDegrees) > 0.5) return crs;
  const [x, y] = positions[0]!;
  throw refusal(
    `The coordinates of ${name} (such as ${x}, ${y}) cannot be longitude/latitude, and ${
      text ? `it states ${crs.name}, which is` : 'it names no coordinate system'
    }: say which it is with --crs EPSG:….${county ? fittingSystems(positions, county) : ''}`,
  );
}

/**
 * Refuses shapes in degrees when the file states feet or metres: every parcel would land in one spot near the system's origin, where no
 * county has parcels.
 * @param positions of shapes only, because coordinate columns may be in degrees beside projected shapes
 */
export function refuseDegrees(name: string, crs: CoordinateSystem, positions: Position[]): void {
  const known = positions.filter(([x, y]) => x !== 0 || y !== 0);
  const [first] = known;
  if (crs.isGeographic || !first || share(known, isWithinDegrees) < 1 || takesDegrees(crs, first)) return;
  throw refusal(
    `The coordinates of ${name} (such as ${first.join(', ')}) are degrees, but its coordinate system is taken to be ${crs.name}, which is in ` +
      'feet or meters. If they are degrees, add --crs EPSG:4326.',
  );
}

/** Whether a system reads degrees. NAD27 shifts them a little, so it is not flagged as geographic. */
function takesDegrees(crs: CoordinateSystem, [x, y]: Position): boolean {
  const [longitude, latitude] = crs.toWgs84(x, y);
  return Math.abs(longitude - x) < 1 && Math.abs(latitude - y) < 1;
}

/** Longitudes may run past 180 degrees, as the Aleutians' do. */
const isWithinDegrees = ([x, y]: Position): boolean =>
  Math.abs(withinRange(x * unitsPerDegree)) <= 180 * unitsPerDegree && Math.abs(y) <= 90;

function share(positions: Position[], holds: (position: Position) => boolean): number {
  return positions.filter(holds).length / positions.length;
}

// From Guam and the outer Aleutians to the Virgin Islands, from Samoa to Alaska's north.
function isLongitudeOfUs(degrees: number): boolean {
  return (degrees >= -180 && degrees <= -60) || (degrees >= 140 && degrees <= 180);
}

function isLatitudeOfUs(degrees: number): boolean {
  return degrees >= -16 && degrees <= 73;
}

/** The first positions of the rows that have any, in the file's own coordinates. */
export const positionsOf = (rows: SourceRow[], mapping: Mapping): Position[] => rows.map((row) => positionOf(row, mapping)).filter(isKnown);

/** The first position of a row's shape, or of its coordinate columns, in the file's own coordinates. */
function positionOf(row: SourceRow, mapping: Mapping): Position | null {
  const own = shapePosition(row, mapping);
  if (own) return own;
  const cell = (column: string | undefined) => (column === undefined ? null : textOf(row.properties[column]));
  const x = numberOf(cell(mapping.longitude?.columns[0]));
  const y = numberOf(cell(mapping.latitude?.columns[0]));
  return x === null || y === null || (x === 0 && y === 0) ? null : [x, y];
}

function shapePosition({ geometry, properties }: SourceRow, mapping: Mapping): Position | null {
  const own = geometry && firstPosition(geometry);
  const shape = own ? null : readableGeometry(properties, mapping)?.geometry;
  return shape ? firstPosition(shape) : own;
}

function readableGeometry(properties: Properties, mapping: Mapping): ReturnType<typeof textGeometry> {
  try {
    return textGeometry(properties, mapping);
  } catch {
    return null; // the load rejects this row with a reason
  }
}
