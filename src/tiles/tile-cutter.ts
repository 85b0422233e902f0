import { GeoJSONVT } from '@maplibre/geojson-vt';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import { coarseUnits, extent, maxZoom, minZoom, openZoom, type Placed, type Shape } from './tile-grid.js';

/** A parcel of the map: nothing else of it is free. */
export interface MappedParcel {
  apn: string | null;
  shape: Shape;
  place: Placed;
}

// The library's own types name their files in a way that `NodeNext` does not find.
interface TileFeature {
  /** 3: polygons. */
  type: 3;
  geometry: [number, number][][];
  tags: Record<string, unknown> | null;
}

export interface Tile {
  z: number;
  x: number;
  y: number;
  /** A Mapbox Vector Tile, version 2.1. */
  bytes: Uint8Array;
}

/** A pixel, as maps show tiles at 512. */
const pixel = extent / 512;
/** The least parcel that is drawn itself: four by four pixels. */
const leastArea = (4 * pixel) ** 2;
/** The side of the squares that stand for smaller ones. */
const cell = 2 * pixel;
const cells = extent / cell;
/** A small parcel that is longer, as an alley, is marked in the middle only: its box is not its shape. */
const longCells = 4;

/** Whether a parcel is drawn itself. At the deepest zoom every parcel is. */
export const isDrawn = ({ area }: Placed, z: number): boolean => z === maxZoom || area * (extent * 2 ** z) ** 2 >= leastArea;

/**
 * The places of parcels that are too small for a zoom. A tile shows them as squares: however many they are, it stays small, and built-up
 * areas are not blank.
 */
export class SmallParcels {
  /** A bit for each square of a tile. */
  private readonly marked = new Map<string, Uint8Array>();

  add(place: Placed): void {
    for (let z = minZoom; z < maxZoom && !isDrawn(place, z); z++) {
      const side = 2 ** z * cells;
      const isLong = Math.max(place.east - place.west, place.south - place.north) * side > longCells;
      const [x, y] = [(place.west + place.east) / 2, (place.north + place.south) / 2];
      const { west, north, east, south } = isLong ? { west: x, north: y, east: x, south: y } : place;
      for (let column = Math.floor(west * side); column <= east * side; column++) {
        for (let row = Math.floor(north * side); row <= south * side; row++) this.mark(z, column, row);
      }
    }
  }

  private mark(z: number, column: number, row: number): void {
    const key = `${z}/${Math.floor(column / cells)}/${Math.floor(row / cells)}`;
    const marks = this.marked.get(key) ?? new Uint8Array((cells * cells) / 8);
    this.marked.set(key, marks);
    const square = (row % cells) * cells + (column % cells);
    marks[square >> 3]! |= 1 << (square & 7);
  }

  /** Rectangles, each a run of squares in a row. */
  of(key: string): TileFeature[] {
    const marks = this.marked.get(key);
    if (!marks) return [];
    const isMarked = (square: number) => (marks[square >> 3]! >> (square & 7)) & 1;
    const runs: TileFeature[] = [];
    for (let row = 0; row < cells; row++) {
      for (let column = 0; column < cells; column++) {
        const start = column;
        while (column < cells && isMarked(row * cells + column)) column++;
        if (column === start) continue;
        const [left, top, right, bottom] = [start * cell, row * cell, column * cell, (row + 1) * cell];
        const ring: [number, number][] = [
          [left, top],
          [right, top],
          [right, bottom],
          [left, bottom],
          [left, top],
        ];
        runs.push({ type: 3, geometry: [ring], tags: null });
      }
    }
    return runs;
  }
}

/** Cuts these tiles (`z/x/y`) from the parcels that lie in them, and the small ones. An empty tile is left out. */
export function* cutTiles(parcels: MappedParcel[], keys: Iterable<string>, small: SmallParcels): Generator<Tile> {
  const features = parcels.map(({ apn, shape, place }) => ({ type: 'Feature', geometry: shape, properties: { apn, place } }));
  const index = new GeoJSONVT({ type: 'FeatureCollection', features } as never, { maxZoom, tolerance: 4, extent, buffer: 64 });
  for (const key of keys) {
    const [z, x, y] = key.split('/').map(Number) as [number, number, number];
    const drawn = ((index.getTile(z, x, y)?.features ?? []) as TileFeature[]).filter(({ tags }) => isDrawn(tags!.place as Placed, z));
    const shown = z <= openZoom ? coarse(drawn, coarseUnits(z, y)) : numbered(drawn);
    const layers = Object.entries({ parcels: shown, small: small.of(key) }).filter(([, features]) => features.length > 0);
    if (layers.length === 0) continue;
    const tile = Object.fromEntries(layers.map(([name, features]) => [name, { features }]));
    yield { z, x, y, bytes: fromGeojsonVt(tile as never, { version: 2, extent }) };
  }
}

const numbered = (features: TileFeature[]): TileFeature[] =>
  features.map((feature) => ({ ...feature, tags: feature.tags!.apn === null ? {} : { apn: feature.tags!.apn } }));

/** Moves each corner to the nearest place of a grid, and drops what has no area there. */
function coarse(features: TileFeature[], units: number): TileFeature[] {
  const snap = (at: number) => Math.round(at / units) * units;
  return features.flatMap(({ geometry }) => {
    const rings = geometry
      .map((ring) => ring.map(([x, y]): [number, number] => [snap(x), snap(y)]))
      .map((ring) => ring.filter(([x, y], i) => i === 0 || x !== ring[i - 1]![0] || y !== ring[i - 1]![1]))
      .filter((ring) => ring.length > 3);
    return rings.length > 0 ? [{ type: 3 as const, geometry: rings, tags: {} }] : [];
  });
}
