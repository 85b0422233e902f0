import type { FlatRing } from '../source-row.js';

// As GDAL does, unless it is told otherwise.
const maxStep = (4 * Math.PI) / 180;

// GDAL's number of pieces.
const bezierSteps = 90;

type Position = [x: number, y: number];

/** Turns arcs into lines: positions 1 to 3 are an arc, 3 to 5 the next one. @throws Error if a position is missing */
export function linesOfArcs(positions: FlatRing): FlatRing {
  if (positions.length < 6 || positions.length % 4 !== 2) throw new Error('a position of an arc is missing');
  const line: FlatRing = positions.slice(0, 2);
  for (let i = 0; i + 6 <= positions.length; i += 4) {
    const [x0, y0, x1, y1, x2, y2] = positions.slice(i, i + 6) as [number, number, number, number, number, number];
    for (const number of arcThrough([x0, y0], [x1, y1], [x2, y2])) line.push(number);
  }
  return line;
}

/** The lines of an arc that starts at `start` and passes `middle`, without its start. */
export function arcThrough(start: Position, middle: Position, end: Position): FlatRing {
  const circle = circleThrough(start, middle, end);
  return circle ? arcAround(start, circle.centre, end, circle.isCounterClockwise) : [...middle, ...end];
}

/** The closed ring of lines of the circle through three positions. */
export function ringThrough([x0, y0, x1, y1, x2, y2]: FlatRing): FlatRing {
  const [start, end]: Position[] = [
    [x0!, y0!],
    [x2!, y2!],
  ];
  const circle = circleThrough(start!, [x1!, y1!], end!);
  if (!circle) throw new Error('the positions of a circle are on a line');
  const { centre, isCounterClockwise } = circle;
  return [...start!, ...arcAround(start!, centre, end!, isCounterClockwise), ...arcAround(end!, centre, start!, isCounterClockwise)];
}

/** Null if the positions are on a line. If the last is the first, the other one is opposite to it. */
function circleThrough(start: Position, middle: Position, end: Position): { centre: Position; isCounterClockwise: boolean } | null {
  // Relative to the start, because state planes have large numbers.
  const [bx, by] = [middle[0] - start[0], middle[1] - start[1]];
  const [cx, cy] = [end[0] - start[0], end[1] - start[1]];
  if (cx === 0 && cy === 0) return { centre: [start[0] + bx / 2, start[1] + by / 2], isCounterClockwise: true };
  const twice = 2 * (bx * cy - by * cx);
  const [b, c] = [bx * bx + by * by, cx * cx + cy * cy];
  if (Math.abs(twice) <= 1e-10 * Math.max(b, c)) return null;
  return { centre: [start[0] + (cy * b - by * c) / twice, start[1] + (bx * c - cx * b) / twice], isCounterClockwise: twice > 0 };
}

/** The lines of an arc around a centre, without its start. */
export function arcAround(start: Position, centre: Position, end: Position, isCounterClockwise: boolean): FlatRing {
  const [dx, dy] = [start[0] - centre[0], start[1] - centre[1]];
  const from = Math.atan2(dy, dx);
  const turn = (Math.atan2(end[1] - centre[1], end[0] - centre[0]) - from) * (isCounterClockwise ? 1 : -1);
  const sweep = turn > 1e-12 ? turn : turn + 2 * Math.PI;
  const steps = Math.ceil(sweep / maxStep);
  const radius = Math.hypot(dx, dy);
  const line: FlatRing = [];
  for (let i = 1; i < steps; i++) {
    const angle = from + ((isCounterClockwise ? 1 : -1) * sweep * i) / steps;
    line.push(centre[0] + radius * Math.cos(angle), centre[1] + radius * Math.sin(angle));
  }
  line.push(...end);
  return line;
}

/** The lines of a cubic Bézier curve, without its start. */
export function bezier(start: Position, control1: Position, control2: Position, end: Position): FlatRing {
  const line: FlatRing = [];
  for (let i = 1; i < bezierSteps; i++) {
    const t = i / bezierSteps;
    const s = 1 - t;
    const at = (axis: 0 | 1) =>
      s * s * s * start[axis] + 3 * s * s * t * control1[axis] + 3 * s * t * t * control2[axis] + t * t * t * end[axis];
    line.push(at(0), at(1));
  }
  line.push(...end);
  return line;
}

/** Joins lines, each of which starts where the one before ends. */
export const joinLines = (lines: FlatRing[]): FlatRing => lines.flatMap((line, i) => (i === 0 ? line : line.slice(2)));
