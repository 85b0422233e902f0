import shapesAddress from 'virtual:county-shapes';
import { geoPath } from 'd3-geo';
import type { Feature, Geometry } from 'geojson';
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

// The atlas is projected already: coordinates are pixels of a 975 × 610 map.
const draw = geoPath(null).digits(1);

async function fetchShapes(): Promise<CountyShapes> {
  const response = await fetch(shapesAddress);
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  const atlas = (await response.json()) as Atlas;
  const counties: CountyShape[] = [];
  const { geometries } = atlas.objects.counties;
  for (let start = 0; start < geometries.length; start += drawnAtOnce) {
    const some = { ...atlas.objects.counties, geometries: geometries.slice(start, start + drawnAtOnce) };
    counties.push(...feature(atlas, some).features.map(toShape));
    await breathe();
  }
  return { counties, stateBorders: draw(mesh(atlas, atlas.objects.states, (a, b) => a !== b)) ?? '' };
}

// All counties in one go would block a telephone's page for a third of a second.
const drawnAtOnce = 150;
const breathe = () => new Promise((resolve) => setTimeout(resolve));

function toShape(county: Feature<Geometry, { name: string }>): CountyShape {
  return {
    fips: String(county.id),
    name: county.properties.name,
    path: draw(county) ?? '',
    center: draw.centroid(county),
    bounds: draw.bounds(county),
  };
}
