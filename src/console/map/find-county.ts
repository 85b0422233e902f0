import type { CountyShape } from './county-shapes.js';

let hitTester: CanvasRenderingContext2D | null;

const outlines = new WeakMap<CountyShape, Path2D>();

/** The county at a point of the map. Computed, because 3,144 elements with event listeners would be slow. */
export function countyAt(counties: CountyShape[], x: number, y: number): CountyShape | undefined {
  hitTester ??= document.createElement('canvas').getContext('2d');
  return counties.find((county) => {
    const [left, top, right, bottom] = county.bounds;
    if (x < left || x > right || y < top || y > bottom) return false;
    return hitTester?.isPointInPath(outlineOf(county), x, y);
  });
}

export type Direction = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight';

/** The nearest county in a direction. Sideways distance counts twice. */
export function nextCountyInDirection(counties: CountyShape[], from: CountyShape, direction: Direction): CountyShape {
  let best = from;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const county of counties) {
    const dx = county.center[0] - from.center[0];
    const dy = county.center[1] - from.center[1];
    const ahead = { ArrowUp: -dy, ArrowDown: dy, ArrowLeft: -dx, ArrowRight: dx }[direction];
    const sideways = Math.abs(direction === 'ArrowUp' || direction === 'ArrowDown' ? dx : dy);
    const distance = ahead + 2 * sideways;
    if (ahead > 0 && sideways <= 1.5 * ahead && distance < bestDistance) {
      best = county;
      bestDistance = distance;
    }
  }
  return best;
}

function outlineOf(county: CountyShape): Path2D {
  const known = outlines.get(county);
  if (known) return known;
  const outline = new Path2D(county.path);
  outlines.set(county, outline);
  return outline;
}
