import { type Polygon, type Ring, signedSquareMetres, unitsPerDegree } from '../../formats/shapes/ring.js';

const half = 180 * unitsPerDegree;

/** Brings a longitude beyond 180 degrees, as some software writes the Aleutians, into -180 to 180. */
export function withinRange(x: number): number {
  if (x > half && x <= 2 * half) return x - 2 * half;
  return x < -half && x >= -2 * half ? x + 2 * half : x;
}

/** Extends the longitudes of a ring that crosses the antimeridian beyond 180 degrees, so that the ring is connected. */
export function unwrap(ring: Ring): void {
  let crosses = false;
  for (let i = 2; i < ring.length && !crosses; i += 2) crosses = Math.abs(ring[i]! - ring[i - 2]!) > half;
  if (crosses) shiftWest(ring, 2 * half);
}

/** Converts a longitude to the range of an unwrapped ring, which may extend beyond 180 degrees. */
export function unwrapLongitude(x: number, ring: Ring): number {
  if (x < 0 && ring[0]! >= 0) return x + 2 * half;
  return x > half && ring[0]! < 0 ? x - 2 * half : x;
}

/** Cuts a polygon of unwrapped rings in two at the antimeridian, as RFC 7946 requires. Returns other polygons unchanged. */
export function cutAtAntimeridian(polygon: Polygon): Polygon[] {
  const outer = polygon.rings[0]!;
  // A ring that starts west of Greenwich was not unwrapped. This comes first, because nearly all of the country lies there.
  if (outer[0]! < 0 || !outer.some((value, i) => i % 2 === 0 && value > half)) return [polygon];
  for (const hole of polygon.rings) if (hole[0]! < 0) shiftWest(hole, 2 * half);
  const west = piece(polygon.rings.map((ring) => clip(ring, (x) => half - x)));
  const east = piece(polygon.rings.map((ring) => clip(ring, (x) => x - half)));
  for (const ring of east.rings) for (let i = 0; i < ring.length; i += 2) ring[i]! -= 2 * half;
  return [west, east].filter(({ rings }) => rings.length > 0);
}

function shiftWest(ring: Ring, by: number): void {
  for (let i = 0; i < ring.length; i += 2) if (ring[i]! < 0) ring[i]! += by;
}

function piece(clipped: Ring[]): Polygon {
  const rings = clipped.filter((ring) => ring.length >= 8 && signedSquareMetres(ring) !== 0);
  // Holes run in the other direction, so their areas are negative.
  return { rings, squareMetres: rings.reduce((sum, ring) => sum + signedSquareMetres(ring), 0) };
}

/** The part of a closed ring where `depth` is not negative (Sutherland–Hodgman for one straight edge). */
function clip(ring: Ring, depth: (x: number) => number): Ring {
  const kept: Ring = [];
  for (let i = 2; i < ring.length; i += 2) {
    const [ax, ay, bx, by] = [ring[i - 2]!, ring[i - 1]!, ring[i]!, ring[i + 1]!];
    if (depth(ax) >= 0) kept.push(ax, ay);
    if (depth(ax) * depth(bx) < 0) kept.push(half, Math.round(ay + ((by - ay) * (half - ax)) / (bx - ax)));
  }
  if (kept.length > 0) kept.push(kept[0]!, kept[1]!);
  return kept;
}
