import type { FlatRing, SourceGeometry } from '../source-row.js';
import { type Box, boxOf, isInside } from './ring.js';

const minRingPositions = 4;

/**
 * Groups the rings of Esri's formats into polygons: outer rings run in one direction, holes in the other. The largest ring must be an outer
 * one, so its direction identifies the outer rings, even in files written the wrong way round.
 */
export function assemblePolygons(rings: FlatRing[]): SourceGeometry {
  const usable = rings.filter((ring) => ring.length >= 2 * minRingPositions);
  if (rings.length === 1 || usable.length === 0) return { type: 'Polygon', coordinates: rings };
  const areas = usable.map(signedArea);
  const largest = areas.reduce((most, area) => (Math.abs(area) > Math.abs(most) ? area : most));
  const outers: Outer[] = [];
  const holes: FlatRing[] = [];
  usable.forEach((ring, i) => {
    if (areas[i]! * largest >= 0) outers.push({ polygon: [ring], area: Math.abs(areas[i]!), box: boxOf(ring) });
    else holes.push(ring);
  });
  // A hole belongs to the smallest ring around it: an island in a lake may have a lake of its own.
  outers.sort((a, b) => a.area - b.area);
  const ownerless: FlatRing[][] = [];
  for (const hole of holes) {
    const owner = outers.length === 1 ? outers[0] : findOwner(outers, hole);
    if (owner) owner.polygon.push(hole);
    else ownerless.push([hole]);
  }
  // Rings without an area are parts of their own, to be counted where they are dropped.
  const degenerate = rings.filter((ring) => ring.length < 2 * minRingPositions).map((ring) => [ring]);
  const polygons = [...outers.reverse().map(({ polygon }) => polygon), ...ownerless, ...degenerate];
  return polygons.length === 1 ? { type: 'Polygon', coordinates: polygons[0] } : { type: 'MultiPolygon', coordinates: polygons };
}

interface Outer {
  polygon: FlatRing[];
  area: number;
  box: Box;
}

function signedArea(ring: FlatRing): number {
  const originX = ring[0]!;
  const originY = ring[1]!;
  let twice = 0;
  for (let i = 2; i < ring.length; i += 2) {
    twice += (ring[i - 2]! - originX) * (ring[i + 1]! - originY) - (ring[i]! - originX) * (ring[i - 1]! - originY);
  }
  return twice / 2;
}

// Compares bounding boxes first: a county's roads may be one shape with hundreds of rings.
function findOwner(outers: Outer[], hole: FlatRing): Outer | undefined {
  const [west, south, east, north] = boxOf(hole);
  return outers.find(
    ({ box, polygon }) => box[0] <= west && box[1] <= south && box[2] >= east && box[3] >= north && contains(polygon[0]!, hole),
  );
}

/** Whether most points of a hole lie in a ring; some may lie on the ring itself. */
function contains(outer: FlatRing, hole: FlatRing): boolean {
  const rings = [outer];
  let inside = 0;
  for (let i = 0; i < hole.length; i += 2) if (isInside(rings, hole[i]!, hole[i + 1]!)) inside++;
  return inside * 4 > hole.length;
}
