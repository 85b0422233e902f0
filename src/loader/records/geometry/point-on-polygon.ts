import { isInside, type Polygon, type Ring } from '../../formats/shapes/ring.js';

/**
 * A point that lies on the parcel: its centroid where that is inside, else the middle of the widest stretch at half its height.
 * The same shape gives the same point, whatever format it came in.
 */
export function pointOnPolygon({ rings }: Polygon): [x: number, y: number] {
  const [x, y] = centroid(rings);
  return isInside(rings, x, y) ? [Math.round(x), Math.round(y)] : middleOfWidestStretch(rings);
}

function centroid(rings: Ring[]): [number, number] {
  const x0 = rings[0]![0]!;
  const y0 = rings[0]![1]!;
  let area = 0;
  let x = 0;
  let y = 0;
  for (const ring of rings) {
    for (let i = 2; i < ring.length; i += 2) {
      const ax = ring[i - 2]! - x0;
      const ay = ring[i - 1]! - y0;
      const bx = ring[i]! - x0;
      const by = ring[i + 1]! - y0;
      const cross = ax * by - bx * ay;
      area += cross;
      x += (ax + bx) * cross;
      y += (ay + by) * cross;
    }
  }
  return [x0 + x / (3 * area), y0 + y / (3 * area)];
}

function middleOfWidestStretch(rings: Ring[]): [number, number] {
  let south = Number.POSITIVE_INFINITY;
  let north = Number.NEGATIVE_INFINITY;
  for (let i = 1; i < rings[0]!.length; i += 2) {
    south = Math.min(south, rings[0]![i]!);
    north = Math.max(north, rings[0]![i]!);
  }
  // Corners have whole coordinates and the line is halfway between two, so no corner lies on it.
  const y = Math.floor((south + north) / 2) + 0.5;
  const crossings: number[] = [];
  for (const ring of rings) {
    for (let i = 2; i < ring.length; i += 2) {
      const ay = ring[i - 1]!;
      const by = ring[i + 1]!;
      if (ay > y !== by > y) crossings.push(((ring[i]! - ring[i - 2]!) * (y - ay)) / (by - ay) + ring[i - 2]!);
    }
  }
  crossings.sort((a, b) => a - b);
  let widest = 0;
  let x = rings[0]![0]!;
  for (let i = 1; i < crossings.length; i += 2) {
    const width = crossings[i]! - crossings[i - 1]!;
    if (width <= widest) continue;
    widest = width;
    x = (crossings[i]! + crossings[i - 1]!) / 2;
  }
  return widest === 0 ? [rings[0]![0]!, rings[0]![1]!] : [Math.round(x), Math.floor(y)];
}
