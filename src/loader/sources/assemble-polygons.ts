import { isInside } from '../normalise/ring.js';
import type { SourceGeometry } from './source.js';

export type Ring = number[][];

/**
 * Esri's formats list rings without saying which are holes of which: outer rings run in one direction, holes in the other. The
 * largest ring must be an outer one, so its direction tells which is which, also in files that were written the wrong way round.
 */
export function assemblePolygons(rings: Ring[]): SourceGeometry | null {
  const usable = rings.filter((ring) => Array.isArray(ring) && ring.length >= 4);
  if (usable.length === 0) return null;
  if (usable.length === 1) return { type: 'Polygon', coordinates: usable };
  const areas = usable.map(signedArea);
  const largest = areas.reduce((most, area) => (Math.abs(area) > Math.abs(most) ? area : most));
  const outers: Outer[] = [];
  const holes: Ring[] = [];
  usable.forEach((ring, i) => {
    if (areas[i]! * largest >= 0) outers.push({ polygon: [ring], area: Math.abs(areas[i]!), box: boxOf(ring) });
    else holes.push(ring);
  });
  // A hole belongs to the smallest ring around it: an island within a lake may have a lake of its own.
  outers.sort((a, b) => a.area - b.area);
  const ownerless: Ring[][] = [];
  for (const hole of holes) {
    const owner = outers.length === 1 ? outers[0] : findOwner(outers, hole);
    if (owner) owner.polygon.push(hole);
    else ownerless.push([hole]);
  }
  const polygons = [...outers.reverse().map(({ polygon }) => polygon), ...ownerless];
  return polygons.length === 1 ? { type: 'Polygon', coordinates: polygons[0] } : { type: 'MultiPolygon', coordinates: polygons };
}

interface Outer {
  polygon: Ring[];
  area: number;
  box: Box;
}

type Box = [west: number, south: number, east: number, north: number];

function signedArea(ring: Ring): number {
  const [originX, originY] = ring[0] as [number, number];
  let twice = 0;
  for (let i = 1; i < ring.length; i++) {
    const [ax, ay] = ring[i - 1] as [number, number];
    const [bx, by] = ring[i] as [number, number];
    twice += (ax - originX) * (by - originY) - (bx - originX) * (ay - originY);
  }
  return twice / 2;
}

function boxOf(ring: Ring): Box {
  const box: Box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of ring as [number, number][]) {
    box[0] = Math.min(box[0], x);
    box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x);
    box[3] = Math.max(box[3], y);
  }
  return box;
}

// Bounding boxes are compared first, since a county's roads may be one shape of hundreds of rings.
function findOwner(outers: Outer[], hole: Ring): Outer | undefined {
  const [west, south, east, north] = boxOf(hole);
  return outers.find(
    ({ box, polygon }) => box[0] <= west && box[1] <= south && box[2] >= east && box[3] >= north && contains(polygon[0]!, hole),
  );
}

/** Whether a hole lies in a ring, judged by most of its points: some may lie on the ring itself. */
function contains(outer: Ring, hole: Ring): boolean {
  const rings = [outer.flat()];
  const inside = hole.filter(([x, y]) => isInside(rings, x!, y!)).length;
  return inside * 2 > hole.length;
}
