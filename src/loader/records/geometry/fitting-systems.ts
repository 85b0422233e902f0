import { type Outline, unitsPerDegree } from '../../../counties/outlines/outline.js';
import { coordinateSystem } from './crs.js';
import { epsgSystems } from './epsg-systems.js';

type Position = [x: number, y: number];

/** The usual systems of counties, the most frequent first. */
const families = [
  /^WGS 84 \/ Pseudo-Mercator$/,
  /^NAD83 \/ .*\(ftUS\)$/,
  /^NAD83 \/ .*\(ft\)$/,
  /^NAD83 \//,
  /^WGS 84 \/ UTM/,
  /^NAD27 \//,
];
const nearMetres = 1000;
const nearlyAll = 0.9;
const enoughPositions = 20;

/**
 * Says in which coordinate system positions of a file would lie in the county, as a sentence after a space. Empty if there is none: then
 * the county is wrong.
 */
export function fittingSystems(positions: Position[], county: Outline): string {
  const areDegrees = positions.every(([x, y]) => Math.abs(x) <= 360 && Math.abs(y) <= 90);
  if (positions.length === 0 || areDegrees) return '';
  const step = Math.max(1, Math.floor(positions.length / enoughPositions));
  const some = positions.filter((_, i) => i % step === 0);
  const [west, south, east, north] = county.box.map((units) => units / unitsPerDegree) as [number, number, number, number];
  const [longitude, latitude] = [(west + east) / 2, (south + north) / 2];
  const entries = Object.entries(epsgSystems());
  const found = families.flatMap((family) =>
    entries.filter(
      ([, { kind, name, bbox }]) =>
        kind === 'CRS-PROJCRS' &&
        family.test(name) &&
        latitude <= bbox[0] + 1 &&
        latitude >= bbox[2] - 1 &&
        longitude >= bbox[1] - 1 &&
        longitude <= bbox[3] + 1,
    ),
  );
  const fit = found.find(([code]) => isWithin(some, code, county));
  if (!fit) return '';
  const [code, { name }] = fit;
  return ` In EPSG:${code} (${name}) it would be in the county. If so, add --crs EPSG:${code}.`;
}

function isWithin(positions: Position[], code: string, county: Outline): boolean {
  try {
    const { toWgs84 } = coordinateSystem(`EPSG:${code}`);
    const within = positions.filter(([x, y]) => {
      const [longitude, latitude] = toWgs84(x, y);
      return county.holds(longitude, latitude) || county.metresTo(longitude, latitude) <= nearMetres;
    });
    return within.length >= positions.length * nearlyAll;
  } catch {
    return false; // a system that is not understood, or positions outside of where it applies
  }
}
