import { AppError } from '../../core/errors.js';
import { unitsPerDegree } from '../formats/shapes/ring.js';
import { withinRange } from '../records/geometry/antimeridian.js';
import { type CoordinateSystem, coordinateSystem, wgs84, withLatitudeFirst } from '../records/geometry/crs.js';

export type Position = [x: number, y: number];

/**
 * Decides how a file's positions become longitude and latitude: by what the operator says, else by what the file states. Where
 * neither says anything they are taken for longitude and latitude, if their values allow it. Recognises latitude written before longitude.
 * @throws AppError when they can't be longitude and latitude and no coordinate system is known
 */
export function resolveCrs(name: string, stated: string | null, given: string | undefined, positions: Position[]): CoordinateSystem {
  const text = given ?? stated;
  const crs = text === null || text === undefined ? wgs84 : coordinateSystem(text);
  if (!crs.isGeographic || positions.length === 0) return crs;
  const swapped = share(positions, ([x, y]) => isLongitudeOfUs(y) && isLatitudeOfUs(x));
  const straight = share(positions, ([x, y]) => isLongitudeOfUs(x) && isLatitudeOfUs(y));
  if (swapped > 0.9 && straight < 0.1) {
    const warnings = [...crs.warnings, `${name} writes latitude before longitude; they were exchanged.`];
    return { ...withLatitudeFirst(crs), warnings };
  }
  if (share(positions, isWithinDegrees) > 0.5) return crs;
  const [x, y] = positions[0]!;
  throw new AppError(
    'invalid_request',
    `The coordinates of ${name} (such as ${x}, ${y}) cannot be longitude/latitude, and ${
      text ? `it states ${crs.name}, which is` : 'it names no coordinate system'
    }: say which it is with --crs EPSG:….`,
  );
}

/**
 * Refuses shapes in degrees of which the file states that they are in feet or metres: near the origin of such a system no county has
 * parcels, and all would come to lie in one spot.
 * @param positions of shapes; columns of coordinates may be in degrees beside them
 */
export function refuseDegrees(name: string, crs: CoordinateSystem, positions: Position[]): void {
  const known = positions.filter(([x, y]) => x !== 0 || y !== 0);
  const [first] = known;
  if (crs.isGeographic || !first || share(known, isWithinDegrees) < 1 || takesDegrees(crs, first)) return;
  throw new AppError(
    'invalid_request',
    `The coordinates of ${name} (such as ${first.join(', ')}) are degrees, though ${crs.name} is taken for its coordinate system, which is in ` +
      'feet or metres: say which it is with --crs EPSG:4326.',
  );
}

/** That of 1927 is shifted, so it is not taken for longitude and latitude as it is. */
function takesDegrees(crs: CoordinateSystem, [x, y]: Position): boolean {
  const [longitude, latitude] = crs.toWgs84(x, y);
  return Math.abs(longitude - x) < 1 && Math.abs(latitude - y) < 1;
}

/** Also of longitudes that go on beyond 180 degrees, as of the Aleutians. */
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
