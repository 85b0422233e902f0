import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { projectFile } from '../../src/core/project-files.js';
import { runCommand } from '../bench/child.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { collection, feature, type Scratch, scratch } from './files.js';
import { geoPackage } from './made-files.js';

const mostMegabytes = 450;
const vertices = 1_000_000;

let db: TestDatabase;
let files: Scratch;
beforeAll(async () => {
  db = await createTestDatabase();
  files = await scratch();
});

/** A star around Cambridge, to twelve decimals as geographic programs write them. */
function star(): { type: 'Polygon'; coordinates: number[][][] } {
  const ring = Array.from({ length: vertices }, (_, i) => {
    const angle = (2 * Math.PI * i) / vertices;
    const radius = 0.02 + (i % 2) * 0.001;
    return [-71.11 + radius * Math.cos(angle), 42.37 + radius * Math.sin(angle)].map((degrees) => Math.round(degrees * 1e12) / 1e12);
  });
  return { type: 'Polygon', coordinates: [[...ring, ring[0]!]] };
}

/** The star in a GeoPackage: a polygon of one ring in well-known binary. */
function starPackage(): Buffer {
  const [ring] = star().coordinates;
  const counts = Buffer.from(Uint32Array.from([3, 1, ring!.length]).buffer).toString('hex');
  const positions = Buffer.from(Float64Array.from(ring!.flat()).buffer).toString('hex');
  return geoPackage(`
    create table parcels (fid integer primary key, APN text, geom blob);
    insert into gpkg_contents values ('parcels', 'features');
    insert into gpkg_geometry_columns values ('parcels', 'geom', 4326);
    insert into parcels values (1, '1', x'475000010000000001${counts}${positions}')`);
}

/** Loads by a process of its own, as the command does, and tells how many megabytes it held at most. */
async function loadAlone(path: string): Promise<number> {
  const env = { DATABASE_URL: db.url, AUTH_SECRET: 'x'.repeat(32), DATA_DIR: files.folder };
  const { stdout, usage } = await runCommand(['load', '--county', '25017', path, '--accept', 'ids', '--json'], env);
  expect(JSON.parse(stdout)).toMatchObject({ loaded: 1, rejected: 0 });
  const [record] = await db.query<{ length: number }>('select length(record) from parcel order by release_id desc limit 1');
  expect(record!.length).toBeGreaterThan(20 * vertices);
  expect(await db.query('select from parcel_tile where z = 15 limit 1')).toHaveLength(1);
  return usage.peakMemoryMb;
}

describe(`a polygon of ${vertices} vertices`, () => {
  test(`is loaded, and its map cut, in ${mostMegabytes} MB from GeoJSON`, async () => {
    const path = await files.write('star.geojson', collection([feature({ APN: '1' }, star())]));
    expect(await loadAlone(path)).toBeLessThan(mostMegabytes);
  });

  test(`is loaded, and its map cut, in ${mostMegabytes} MB from a GeoPackage`, async () => {
    expect(await loadAlone(await files.write('star.gpkg', starPackage()))).toBeLessThan(mostMegabytes);
  });
});

test('a load does without TypeORM and GraphQL, and without SQLite until it reads with it', async () => {
  const modules = ['load-county', 'formats/gdal/open-by-gdal'].map((name) => projectFile(`dist/src/loader/${name}.js`));
  const script = `for (const name of ${JSON.stringify(modules)}) await import(name);
    console.log(Object.keys((await import('node:module')).default._cache).join('\\n'));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(stdout).toContain('/node_modules/pg/');
  expect(stdout).not.toMatch(/node_modules\/(typeorm|graphql|type-graphql|node-sqlite3-wasm)\//);
});
