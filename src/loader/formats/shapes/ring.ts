/** Degrees are stored as integers of the seventh decimal, about a centimetre, so equal points compare equal whatever the format. */
export const unitsPerDegree = 1e7;

/** A closed ring: x, y, x, y, … in units of `unitsPerDegree`. */
export type Ring = number[];

/** The first ring is the outer one, counter-clockwise; the others are holes, clockwise. */
export interface Polygon {
  rings: Ring[];
  squareMetres: number;
}

const radiansPerUnit = Math.PI / 180 / unitsPerDegree;
const polarRadiusSquared = 6_356_752.314140356 ** 2;
const e2 = 0.006694380022903416;

/**
 * The area on the ellipsoid (GRS80), positive for a counter-clockwise ring. Longitude and the area between equator and latitude form an
 * equal-area plane, so the planar formula is exact, except that edges are straight in that plane, which is negligible at a parcel's size.
 */
export function signedSquareMetres(ring: Ring): number {
  const x0 = ring[0]!;
  const y0 = areaBelow(ring[1]!);
  let ax = 0;
  let ay = 0;
  let twice = 0;
  for (let i = 2; i < ring.length; i += 2) {
    const bx = ring[i]! - x0;
    const by = areaBelow(ring[i + 1]!) - y0;
    twice += ax * by - bx * ay;
    ax = bx;
    ay = by;
  }
  return (twice / 2) * radiansPerUnit;
}

// ∫ M N cos φ dφ as a series in e² sin² φ; the first omitted term is 1e-11 of the whole.
function areaBelow(latitude: number): number {
  const sine = Math.sin(latitude * radiansPerUnit);
  const s = e2 * sine * sine;
  return polarRadiusSquared * sine * (1 + s * (2 / 3 + s * (3 / 5 + s * (4 / 7 + s * (5 / 9)))));
}

/** Whether a point lies in closed rings: a ray from it crosses their edges an odd number of times. */
export function isInside(rings: Ring[], x: number, y: number): boolean {
  let inside = false;
  for (const ring of rings) {
    for (let i = 2; i < ring.length; i += 2) {
      const ay = ring[i - 1]!;
      const by = ring[i + 1]!;
      if (ay > y !== by > y && x < ((ring[i]! - ring[i - 2]!) * (y - ay)) / (by - ay) + ring[i - 2]!) inside = !inside;
    }
  }
  return inside;
}

/** The least and the greatest coordinates of a ring, in its own units. */
export type Box = [west: number, south: number, east: number, north: number];

export function boxOf(ring: Ring): Box {
  const box: Box = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < ring.length; i += 2) {
    box[0] = Math.min(box[0], ring[i]!);
    box[1] = Math.min(box[1], ring[i + 1]!);
    box[2] = Math.max(box[2], ring[i]!);
    box[3] = Math.max(box[3], ring[i + 1]!);
  }
  return box;
}
