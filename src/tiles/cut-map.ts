import { gzipSync } from 'node:zlib';
import type { ClientBase } from 'pg';
import { SearchIndex } from '../releases/record-fields/search-keys.js';
import { cutTiles, isDrawn, type MappedParcel, SmallParcels, type Tile } from './tile-cutter.js';
import { latitudeAt, longitudeAt, maxZoom, minZoom, type Placed, Places, placed, type Shape, thinned } from './tile-grid.js';

/** The first half of the advisory lock's key, which marks these locks; the second half is the release. */
const mapLock = 0x6d6170;
const recordsAtOnce = 2_000;
const tilesAtOnce = 50;
/** How many corners of shapes memory holds at once, beside those of the largest one. */
const cornersAtOnce = 100_000;

/**
 * Cuts the map of a release into tiles and writes them, and the index that finds its parcels. An interrupted cut is begun again. Does nothing
 * if the map is there or another process is cutting it.
 * @param db its session holds the lock
 * @param signal stops it between two batches
 */
export async function cutMap(db: ClientBase, releaseId: number, signal: AbortSignal): Promise<void> {
  const { rowCount: locks } = await db.query('select where pg_try_advisory_lock($1, $2)', [mapLock, releaseId]);
  const { rowCount: maps } = await db.query('select from parcel_map where release_id = $1', [releaseId]);
  if (locks === 0 || maps !== 0) return;
  await db.query('delete from parcel_tile where release_id = $1', [releaseId]);
  const { rows } = await db.query<{ records: number }>('select loaded_count as records from parcel_release where id = $1', [releaseId]);
  const records = rows[0]?.records ?? 0;
  const index = new SearchIndex();
  const small = new SmallParcels();
  const places = new Places(records);
  const mapped: number[] = [];
  const top = new Set<string>();
  const extent = { west: 1, north: 1, east: 0, south: 0 };
  for (let first = 1; first <= records; first += recordsAtOnce) {
    const ordinals = Array.from({ length: recordsAtOnce }, (_, i) => first + i);
    for (const { ordinal, place } of await read(ordinals, index)) {
      mapped.push(ordinal);
      places.set(ordinal, place);
      small.add(place);
      for (const key of tilesOf(place, minZoom)) top.add(key);
      extent.west = Math.min(extent.west, place.west);
      extent.north = Math.min(extent.north, place.north);
      extent.east = Math.max(extent.east, place.east);
      extent.south = Math.max(extent.south, place.south);
    }
  }
  for (const key of top) await cutFrom(key, Uint32Array.from(mapped));
  const { west, north, east, south } = extent;
  const degrees =
    mapped.length > 0 ? [longitudeAt(west), latitudeAt(south), longitudeAt(east), latitudeAt(north)] : [null, null, null, null];
  await db.query('begin');
  await db.query('insert into parcel_map (release_id, shapes, west, south, east, north) values ($1, $2, $3, $4, $5, $6)', [
    releaseId,
    mapped.length,
    ...degrees,
  ]);
  // One by one: the driver sends arrays of bytes as long texts.
  for (const [bucket, pairs] of index.toBuckets().entries()) {
    await db.query('insert into parcel_search (release_id, bucket, pairs) values ($1, $2, $3)', [releaseId, bucket, pairs]);
  }
  await db.query('commit');

  /** Cuts a tile, and those below it: at once if their parcels fit in memory, otherwise one after the other. */
  async function cutFrom(key: string, near: Uint32Array): Promise<void> {
    const [z, x, y] = numbersOf(key);
    const within = near.filter((ordinal) => tilesOf(places.get(ordinal), z, key).length > 0);
    let [corners, largest] = [0, 0];
    for (const ordinal of within) {
      const own = places.get(ordinal).corners;
      corners += own;
      largest = Math.max(largest, own);
    }
    if (z === maxZoom || corners - largest <= cornersAtOnce) {
      const keys = new Set<string>();
      for (const ordinal of within)
        for (let deep = z; deep <= maxZoom; deep++) for (const tile of tilesOf(places.get(ordinal), deep, key)) keys.add(tile);
      return write(within, keys);
    }
    await write(
      within.filter((ordinal) => isDrawn(places.get(ordinal), z)),
      [key],
    );
    for (const [right, down] of quarters) await cutFrom(`${z + 1}/${2 * x + right}/${2 * y + down}`, within);
  }

  /** Reads the records that have a shape. @param index takes all of them */
  async function read(ordinals: number[], index?: SearchIndex): Promise<(MappedParcel & { ordinal: number })[]> {
    signal.throwIfAborted();
    const { rows } = await db.query<{ ordinal: number; record: string }>(
      'select ordinal, record from parcel where release_id = $1 and ordinal = any($2) order by ordinal',
      [releaseId, ordinals],
    );
    return rows.flatMap(({ ordinal, record }) => {
      const { apn, situs_address, geometry } = JSON.parse(record) as Record<'apn' | 'situs_address', string | null> & {
        geometry: Shape | null;
      };
      index?.add(ordinal, apn, situs_address);
      if (!geometry) return [];
      const shape = thinned(geometry, cornersAtOnce);
      return [{ ordinal, apn, shape, place: index ? placed(shape) : places.get(ordinal) }];
    });
  }

  async function write(ordinals: Uint32Array, keys: Iterable<string>): Promise<void> {
    const parcels: MappedParcel[] = [];
    for (let i = 0; i < ordinals.length; i += recordsAtOnce) parcels.push(...(await read([...ordinals.subarray(i, i + recordsAtOnce)])));
    const tiles = cutTiles(parcels, keys, small);
    for (let batch = next(tiles); batch.length > 0; batch = next(tiles)) {
      signal.throwIfAborted();
      // At this thread's low priority: the threads that gzip otherwise are those of the server.
      const gzipped = batch.map(({ bytes }) => gzipSync(bytes));
      await db.query(
        `insert into parcel_tile (release_id, z, x, y, gzipped)
         select $1, * from unnest($2::smallint[], $3::integer[], $4::integer[], $5::bytea[])`,
        [releaseId, batch.map(({ z }) => z), batch.map(({ x }) => x), batch.map(({ y }) => y), gzipped],
      );
    }
  }
}

const quarters = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
] as const;

/** The next tiles, of the generator: cut only when their turn comes. */
const next = (tiles: Generator<Tile>): Tile[] =>
  Array.from({ length: tilesAtOnce }, () => tiles.next().value as Tile | undefined).filter((tile) => tile !== undefined);

/** The tiles of a zoom, in a tile of the same or a shallower one, that a shape's box touches. */
function tilesOf(place: Placed, z: number, above = '0/0/0'): string[] {
  const [zoom, column, row] = numbersOf(above);
  const side = 2 ** (z - zoom);
  const first = (part: number, tile: number) => Math.max(Math.floor(part * 2 ** z), tile * side);
  const last = (part: number, tile: number) => Math.min(Math.floor(part * 2 ** z), (tile + 1) * side - 1);
  const keys: string[] = [];
  for (let x = first(place.west, column); x <= last(place.east, column); x++) {
    for (let y = first(place.north, row); y <= last(place.south, row); y++) keys.push(`${z}/${x}/${y}`);
  }
  return keys;
}

const numbersOf = (key: string) => key.split('/').map(Number) as [z: number, x: number, y: number];
