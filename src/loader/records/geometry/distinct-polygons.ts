import type { Polygon, Ring } from '../../formats/shapes/ring.js';

/** Without polygons that are there already: a building's outline is often drawn once for each of its units. */
export function distinctPolygons(polygons: Polygon[]): Polygon[] {
  if (polygons.length < 2) return polygons;
  const found = new Map<string, Polygon[]>();
  return polygons.filter((polygon) => {
    const sum = sumOf(polygon.rings[0]!);
    const alike = found.get(sum) ?? [];
    if (alike.some((other) => isSamePolygon(polygon, other))) return false;
    found.set(sum, [...alike, polygon]);
    return true;
  });
}

/** The same wherever the ring begins: the corner that closes it is left out. */
function sumOf(ring: Ring): string {
  let x = 0;
  let y = 0;
  for (let i = 2; i < ring.length; i += 2) {
    x += ring[i]!;
    y += ring[i + 1]!;
  }
  return `${ring.length} ${x} ${y}`;
}

const isSamePolygon = (one: Polygon, other: Polygon): boolean =>
  one.rings.length === other.rings.length && one.rings.every((ring, i) => isSameRing(ring, other.rings[i]!));

function isSameRing(one: Ring, other: Ring): boolean {
  if (one.length !== other.length) return false;
  for (let start = 0; start < other.length - 2; start += 2) {
    if (other[start] === one[0] && other[start + 1] === one[1] && isSameFrom(one, other, start)) return true;
  }
  return false;
}

function isSameFrom(one: Ring, other: Ring, start: number): boolean {
  const period = other.length - 2;
  for (let i = 0; i < period; i++) if (one[i] !== other[(start + i) % period]) return false;
  return true;
}
