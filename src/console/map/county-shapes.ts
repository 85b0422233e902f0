import shapesAddress from 'virtual:county-shapes';
import { geoPath } from 'd3-geo';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';

export interface CountyShape {
  fips: string;
  name: string;
  /** SVG path data in the map's pixels. */
  path: string;
  center: [x: number, y: number];
  bounds: [[left: number, top: number], [right: number, bottom: number]];
}

export interface CountyShapes {
  counties: CountyShape[];
  stateBorders: string;
}

export const mapWidth = 975;
export const mapHeight = 610;

type Atlas = Topology<{
  counties: GeometryCollection<{ name: string }>;
  states: GeometryCollection<{ name: string }>;
}>;

let shapes: Promise<CountyShapes> | undefined;

/** The shapes are fetched once a visit; a failed attempt is forgotten, so that trying again helps. */
export function loadCountyShapes(): Promise<CountyShapes> {
  shapes ??= fetchShapes().catch((error) => {
    shapes = undefined;
    throw error;
  });
  return shapes;
}

async function fetchShapes(): Promise<CountyShapes> {
  const response = await fetch(shapesAddress);
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  const atlas = (await response.json()) as Atlas;
  // The atlas is projected already: coordinates are pixels of a 975 × 610 map.
  const draw = geoPath(null).digits(1);
  return {
    counties: feature(atlas, atlas.objects.counties).features.map((county) => ({
      fips: String(county.id),
      name: county.properties.name,
      path: draw(county) ?? '',
      center: draw.centroid(county),
      bounds: draw.bounds(county),
    })),
    stateBorders: draw(mesh(atlas, atlas.objects.states, (a, b) => a !== b)) ?? '',
  };
}
