import { arcAround, arcThrough, bezier } from '../shapes/arcs.js';
import type { FlatRing } from '../source-row.js';

type Position = [x: number, y: number];

/** The lines of a ring of Esri JSON's `curveRings`: positions, arcs (`c`, `a`) and Bézier curves (`b`), each from the end of the one before. */
export function linesOfCurveRing(ring: unknown[]): FlatRing {
  const line: FlatRing = [];
  for (const part of ring) {
    if (Array.isArray(part)) line.push(Number(part[0]), Number(part[1]));
    else for (const number of linesOfCurve(line.slice(-2) as Position, part)) line.push(number);
  }
  return line;
}

function linesOfCurve(start: Position, curve: unknown): FlatRing {
  const { c, a, b } = (curve ?? {}) as { c?: Position[]; a?: [Position, Position, 0 | 1, 0 | 1, ...number[]]; b?: Position[] };
  if (c) return arcThrough(start, xyOf(c[1]), xyOf(c[0]));
  if (b) return bezier(start, xyOf(b[1]), xyOf(b[2]), xyOf(b[0]));
  // With further numbers it is part of an ellipse.
  if (a?.length === 4) return arcAround(start, xyOf(a[1]), xyOf(a[0]), !a[3]);
  throw new Error('It has curves other than arcs, which have to be turned into lines');
}

/** A position without its height. */
function xyOf(position: unknown): Position {
  const [x, y] = (Array.isArray(position) ? position : []) as number[];
  if (typeof x !== 'number' || typeof y !== 'number') throw new Error('A position of a curve is missing');
  return [x, y];
}
