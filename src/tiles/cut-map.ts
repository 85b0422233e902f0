import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ClientBase } from 'pg';
import { SearchIndex } from '../releases/record-fields/search-keys.js';
import { cutTiles, isDrawn, type MappedParcel, SmallParcels, type Tile } from './tile-cutter.js';
import { latitudeAt, longitudeAt, maxZoom, minZoom, placed, type Shape } from './tile-grid.js';

/** Deep tiles are cut by squares of this zoom, one at a time, so that memory holds some kilometers of a county and not all of it. */
const squareZoom = 13;
const recordsAtOnce = 2_000;
const tilesAtOnce = 50;

/**
 * Cuts the map of a release into tiles and writes them, and the index that finds its parcels. An interrupted cut is begun again.
 * @param signal stops it between two batches
 */
export async function cutMap(db: ClientBase, releaseId: number, signal: AbortSignal): Promise<void> {
  await db.query('delete from parcel_tile where release_id = $1', [releaseId]);
  const index = new SearchIndex();
  const small = new SmallParcels();
  const large: MappedParcel[] = [];
  const squares = new Map<string, number[]>();
  const extent = { west: 1, north: 1, east: 0, south: 0 };
  let shapes = 0;
  const { rows } = await db.query<{ records: number }>('select loaded_count as records from parcel_release where id = $1', [releaseId]);
  for (let first = 1; first <= (rows[0]?.records ?? 0); first += recordsAtOnce) {
    signal.throwIfAborted();
    const ordinals = Array.from({ length: recordsAtOnce }, (_, i) => first + i);
    for (const { ordinal, ...parcel } of await read(db, releaseId, ordinals, index)) {
      const { place } = parcel;
      shapes++;
      small.add(place);
      if (isDrawn(place, squareZoom - 1)) large.push(parcel);
      for (const key of tilesOf(place, squareZoom)) {
        const known = squares.get(key);
        if (known) known.push(ordinal);
        else squares.set(key, [ordinal]);
      }
      extent.west = Math.min(extent.west, place.west);
      extent.north = Math.min(extent.north, place.north);
      extent.east = Math.max(extent.east, place.east);
      extent.south = Math.max(extent.south, place.south);
    }
  }
  const overview = new Set<string>();
  for (const square of squares.keys()) for (let z = minZoom; z < squareZoom; z++) overview.add(above(square, z));
  await write(db, releaseId, large, overview, small, signal);
  for (const [square, ordinals] of squares) {
    const parcels: MappedParcel[] = [];
    for (let i = 0; i < ordinals.length; i += recordsAtOnce) {
      signal.throwIfAborted();
      parcels.push(...(await read(db, releaseId, ordinals.slice(i, i + recordsAtOnce))));
    }
    const keys = new Set<string>();
    for (const { place } of parcels) {
      for (let z = squareZoom; z <= maxZoom; z++) for (const key of tilesOf(place, z)) if (above(key, squareZoom) === square) keys.add(key);
    }
    await write(db, releaseId, parcels, keys, small, signal);
  }
  const { west, north, east, south } = extent;
  const degrees = shapes > 0 ? [longitudeAt(west), latitudeAt(south), longitudeAt(east), latitudeAt(north)] : [null, null, null, null];
  await db.query(
    `with map as (insert into parcel_map (release_id, shapes, west, south, east, north) values ($1, $2, $3, $4, $5, $6))
     insert into parcel_search (release_id, bucket, pairs) select $1, bucket - 1, pairs from unnest($7::bytea[]) with ordinality as b (pairs, bucket)`,
    [releaseId, shapes, ...degrees, index.toBuckets()],
  );
}

/** Reads the records that have a shape. @param index takes all of them */
async function read(
  db: ClientBase,
  releaseId: number,
  ordinals: number[],
  index?: SearchIndex,
): Promise<(MappedParcel & { ordinal: number })[]> {
  const { rows } = await db.query<{ ordinal: number; record: string }>(
    'select ordinal, record from parcel where release_id = $1 and ordinal = any($2) order by ordinal',
    [releaseId, ordinals],
  );
  return rows.flatMap(({ ordinal, record }) => {
    const { apn, situs_address, geometry } = JSON.parse(record) as Record<'apn' | 'situs_address', string | null> & {
      geometry: Shape | null;
    };
    index?.add(ordinal, apn, situs_address);
    return geometry ? [{ ordinal, apn, shape: geometry, place: placed(geometry) }] : [];
  });
}

async function write(
  db: ClientBase,
  releaseId: number,
  parcels: MappedParcel[],
  keys: Iterable<string>,
  small: SmallParcels,
  signal: AbortSignal,
): Promise<void> {
  const tiles = cutTiles(parcels, keys, small);
  for (let batch = next(tiles); batch.length > 0; batch = next(tiles)) {
    signal.throwIfAborted();
    const gzipped = await Promise.all(batch.map(({ bytes }) => promisify(gzip)(bytes)));
    await db.query(
      `insert into parcel_tile (release_id, z, x, y, gzipped)
       select $1, * from unnest($2::smallint[], $3::integer[], $4::integer[], $5::bytea[])`,
      [releaseId, batch.map(({ z }) => z), batch.map(({ x }) => x), batch.map(({ y }) => y), gzipped],
    );
  }
}

/** The next tiles, of the generator: cut only when their turn comes. */
const next = (tiles: Generator<Tile>): Tile[] =>
  Array.from({ length: tilesAtOnce }, () => tiles.next().value as Tile | undefined).filter((tile) => tile !== undefined);

/** The tiles of a zoom that a shape's box touches. */
function tilesOf(place: MappedParcel['place'], z: number): string[] {
  const at = (part: number) => Math.min(Math.floor(part * 2 ** z), 2 ** z - 1);
  const keys: string[] = [];
  for (let x = at(place.west); x <= at(place.east); x++) {
    for (let y = at(place.north); y <= at(place.south); y++) keys.push(`${z}/${x}/${y}`);
  }
  return keys;
}

/** The tile of a shallower zoom that contains a tile. */
function above(key: string, zoom: number): string {
  const [z, x, y] = key.split('/').map(Number) as [number, number, number];
  return `${zoom}/${x >> (z - zoom)}/${y >> (z - zoom)}`;
}
