import type { Polygon } from '../../formats/shapes/ring.js';

/** Whether edges of a polygon cross each other. Those that touch or lie on each other do not. */
export function crossesItself({ rings }: Polygon): boolean {
  // Four numbers an edge, its western end first.
  const edges: number[] = [];
  const starts: number[] = [];
  for (const ring of rings) {
    for (let i = 2; i < ring.length; i += 2) {
      starts.push(edges.length);
      if (ring[i]! < ring[i - 2]!) edges.push(ring[i]!, ring[i + 1]!, ring[i - 2]!, ring[i - 1]!);
      else edges.push(ring[i - 2]!, ring[i - 1]!, ring[i]!, ring[i + 1]!);
    }
  }
  starts.sort((a, b) => edges[a]! - edges[b]!);
  for (let i = 0; i < starts.length; i++) {
    const one = starts[i]!;
    for (let j = i + 1; j < starts.length && edges[starts[j]!]! < edges[one + 2]!; j++)
      if (areCrossing(edges, one, starts[j]!)) return true;
  }
  return false;
}

/** Exact: products of a parcel's whole numbers are below 2^53. */
const areCrossing = (edges: number[], one: number, other: number): boolean => areApart(edges, one, other) && areApart(edges, other, one);

/** Whether the ends of the other edge lie on different sides of an edge. */
function areApart(edges: number[], edge: number, other: number): boolean {
  const x = edges[edge]!;
  const y = edges[edge + 1]!;
  const east = edges[edge + 2]! - x;
  const north = edges[edge + 3]! - y;
  const start = east * (edges[other + 1]! - y) - north * (edges[other]! - x);
  const end = east * (edges[other + 3]! - y) - north * (edges[other + 2]! - x);
  return (start < 0 && end > 0) || (start > 0 && end < 0);
}
