import { readFileSync } from 'node:fs';
import { geoAlbersUsa, geoIdentity, geoPath } from 'd3-geo';
import type { Position } from 'geojson';
import { feature, mesh } from 'topojson-client';
import { presimplify, simplify } from 'topojson-simplify';
import type { Topology } from 'topojson-specification';
import { CountyOutlines } from '../../counties/outlines/county-outlines.js';
import { states } from '../../counties/states.js';
import { type Bounds, boxAround } from '../parcel-map/drawn-parcel.js';
import { type Atlas, atlasFile, boxInUnits, finestStep, pathOf, unitsPerPixel } from './county-shapes.js';

export interface StateShapes {
  /** The box of its counties, in units of the map. */
  box: Bounds;
  text: string;
}

// A point whose triangle with its neighbors is smaller, in square units, would not be visible where a county fills a map.
const leastTriangle = 0.08;
// As the atlas is projected.
const project = geoAlbersUsa().scale(1300).translate([487.5, 305]);

/**
 * For each state that is on the map, by its FIPS code: finer shapes of its counties, for a closer look, in the same units. They are the
 * server's outlines, which include waters, so the file also has the state's land and its shore, which is only as fine as the atlas.
 */
export async function stateShapes(): Promise<Map<string, StateShapes>> {
  const atlas = JSON.parse(readFileSync(atlasFile, 'utf8')) as Atlas;
  const land = feature(atlas, atlas.objects.nation);
  const shore = mesh(atlas, atlas.objects.nation);
  const outlines = await CountyOutlines.open();
  const shapes = new Map<string, StateShapes>();
  for (const [stateFips] of Object.values(states)) {
    const counties = outlines.fipsCodes
      .filter((fips) => fips.startsWith(stateFips))
      .map((fips) => ({ fips, rings: simplified(outlines.of(fips).outline.rings().map(projected)) }))
      .filter(({ rings }) => rings.length > 0);
    if (counties.length === 0) continue;
    const box = boxOf(counties.flatMap(({ rings }) => rings));
    const withinBox = geoPath(
      geoIdentity()
        .scale(unitsPerPixel)
        .clipExtent([
          [box[0], box[1]],
          [box[2], box[3]],
        ]),
    ).digits(1);
    const rows = counties.map(({ fips, rings }) => [fips, pathOf(rings, 'z', finestStep), ...boxOf(rings)]);
    shapes.set(stateFips, { box, text: JSON.stringify({ counties: rows, land: withinBox(land) ?? '', shore: withinBox(shore) ?? '' }) });
  }
  return shapes;
}

/** In pixels of the map. */
const projected = (ring: [number, number][]): Position[] => ring.map((point) => project(point)).filter((point) => point !== null);

function simplified(rings: Position[][]): Position[][] {
  const topology: Topology<Record<never, never>> = { type: 'Topology', arcs: rings.filter(({ length }) => length > 3), objects: {} };
  return simplify(presimplify(topology), leastTriangle / unitsPerPixel ** 2).arcs.filter(({ length }) => length > 3);
}

const boxOf = (rings: Position[][]): Bounds => boxInUnits(boxAround(rings.flat()));
