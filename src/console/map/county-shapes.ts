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

/** The shapes, fetched once. A failure is not kept, so a further call tries again. */
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
  for (let start = 0; start < geometries.length; start += batchSize) {
    const batch = { ...atlas.objects.counties, geometries: geometries.slice(start, start + batchSize) };
    counties.push(...feature(atlas, batch).features.map(toShape));
    await yieldToBrowser();
  }
  return { counties, stateBorders: draw(mesh(atlas, atlas.objects.states, (a, b) => a !== b)) ?? '' };
}

// Drawing all counties at once would block the page on a telephone for a third of a second.
const batchSize = 150;
const yieldToBrowser = () => new Promise((resolve) => setTimeout(resolve));

function toShape(county: Feature<Geometry, { name: string }>): CountyShape {
  return {
    fips: String(county.id),
    name: county.properties.name,
    path: draw(county) ?? '',
    center: draw.centroid(county),
    bounds: draw.bounds(county),
  };
}
