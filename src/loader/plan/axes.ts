import { AppError } from '../../errors.js';
import { type CoordinateSystem, coordinateSystem, wgs84, withLatitudeFirst } from '../normalise/crs.js';

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
  if (share(positions, ([x, y]) => Math.abs(x) <= 180 && Math.abs(y) <= 90) > 0.5) return crs;
  const [x, y] = positions[0]!;
  throw new AppError(
    'invalid_request',
    `The coordinates of ${name} (such as ${x}, ${y}) cannot be longitude/latitude, and ${
      text ? `it states ${crs.name}, which is` : 'it names no coordinate system'
    }: say which it is with --crs EPSG:….`,
  );
}

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
