import { cp, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import sqlite from 'node-sqlite3-wasm';
import { projectFile } from '../../src/core/project-files.js';
import { unpackZip } from '../../src/loader/formats/archives/zip.js';
import { convertInThread } from '../../src/loader/formats/gdal/open-by-gdal.js';
import type { LayerChoice } from '../../src/loader/formats/layers.js';
import { openSources } from '../../src/loader/formats/open-source.js';
import { parseWkb } from '../../src/loader/formats/shapes/wkb.js';
import type { SourceRow } from '../../src/loader/formats/source-row.js';
import { coordinateSystem } from '../../src/loader/records/geometry/crs.js';
import { locationOf } from '../../src/loader/records/geometry/geometry.js';
import { parseGeometryText } from '../../src/loader/records/geometry/geometry-text.js';
import { closeAtEnd } from '../harness/closing.js';
import { collection, ewkb, feature, type Scratch, scratch, square, wkb, workbook } from './files.js';
import { zip } from './zip.js';

let files: Scratch;
beforeAll(async () => {
  files = await scratch();
});

async function read(path: string, wish: LayerChoice = {}) {
  const [source] = await openSources([path], wish);
  try {
    const position = { bytesRead: 0 };
    const rows: SourceRow[] = [];
    for await (const batch of source!.read(position)) rows.push(...batch);
    expect(position.bytesRead).toBeGreaterThan(0.5 * source!.byteLength);
    expect(position.bytesRead).toBeLessThanOrEqual(1.01 * source!.byteLength);
    return { ...source!, rows };
  } finally {
    await source!.close();
  }
}

/** A row's shape in one form: formats differ in how they nest and order rings. */
function shapeOf({ geometry }: SourceRow): number[][] | null {
  const place = geometry && locationOf(geometry, (x, y) => [x, y]);
  return place ? place.polygons.flatMap(({ rings }) => rings) : null;
}

const shapes = [square(0), holed(), null];
const owners = ['PEÑA, JOSÉ', 'A & B <LLC>', null];

/** A square with a hole in it. */
function holed() {
  const outer = square(3).coordinates[0]!;
  const [west, south] = outer[0] as [number, number];
  const at = (x: number, y: number) => [west + x * 1e-4, south + y * 1e-4];
  return { type: 'Polygon' as const, coordinates: [outer, [at(2, 2), at(2, 4), at(4, 4), at(4, 2), at(2, 2)]] };
}

const features = shapes.map((shape, i) => feature({ APN: `${i + 1}`, OWNER: owners[i], ACRES: i + 0.5 }, shape));

function expectTheParcels(rows: SourceRow[], { isTextOnly = false } = {}): void {
  const text = (value: unknown) => (isTextOnly && value !== null ? String(value) : value);
  expect(rows.map(({ number, fault }) => [number, fault])).toEqual(shapes.map((_, i) => [i + 1, null]));
  rows.forEach(({ properties }, i) => {
    expect(properties).toMatchObject({ APN: `${i + 1}`, ACRES: text(i + 0.5) });
    expect(properties.OWNER ?? null).toBe(owners[i]);
  });
  expect(rows.map(shapeOf)).toEqual(shapes.map((geometry) => shapeOf({ geometry } as SourceRow)));
}

/** From east over north to west: a radius of a hundredth of a degree. */
const halfCircle = [-71.1, 42.37, -71.11, 42.38, -71.12, 42.37];

/** The area of a row's outer ring in square degrees. */
function areaOf(row: SourceRow): number {
  const ring = shapeOf(row)![0]!.map((units) => units / 1e7);
  let twice = 0;
  for (let i = 2; i < ring.length; i += 2)
    twice += (ring[i - 2]! - ring[0]!) * (ring[i + 1]! - ring[1]!) - (ring[i]! - ring[0]!) * (ring[i - 1]! - ring[1]!);
  return twice / 2;
}

function expectHalfCircle(row: SourceRow): void {
  expect(row.fault).toBeNull();
  const exact = (Math.PI / 2) * 0.01 ** 2;
  expect(Math.abs(areaOf(row) / exact - 1)).toBeLessThan(0.001); // lines of four degrees
}

/** A GeoPackage as programs write them, with the tables that are given. */
async function geoPackage(name: string, sql: string): Promise<string> {
  const path = join(files.folder, name);
  const db = new sqlite.Database(path);
  db.exec(`
    create table gpkg_spatial_ref_sys (srs_id integer primary key, organization text, organization_coordsys_id integer, definition text);
    create table gpkg_contents (table_name text primary key, data_type text);
    create table gpkg_geometry_columns (table_name text, column_name text, srs_id integer);
    insert into gpkg_spatial_ref_sys values (-1, 'NONE', -1, 'undefined'), (2249, 'EPSG', 2249, 'PROJCS[]'), (9, 'NONE', 9, 'PROJCS["own"]');
    ${sql}`);
  db.close();
  return path;
}

const parcelsTable = (table: string, srs = 2249) => `
  create table "${table}" (fid integer primary key, APN text, OWNER text, ACRES real, PHOTO blob, geom blob);
  insert into gpkg_contents values ('${table}', 'features');
  insert into gpkg_geometry_columns values ('${table}', 'geom', ${srs});
  ${shapes.map((shape, i) => `insert into "${table}" values (${i * 10 + 5}, '${i + 1}', ${owners[i] ? `'${owners[i]}'` : 'null'}, ${i + 0.5}, x'00', ${shape ? `x'47500001${'c9080000'}${wkb(shape)}'` : 'null'});`).join('\n')}`;

describe('GeoPackage', () => {
  test('its rows, shapes and coordinate system', async () => {
    const found = await read(await geoPackage('one.db', parcelsTable('parcels')));
    expect(found).toMatchObject({ format: 'GeoPackage', crs: 'EPSG:2249', warnings: [] });
    expectTheParcels(found.rows);
    expect(Object.keys(found.rows[0]!.properties)).toEqual(['APN', 'OWNER', 'ACRES', 'PHOTO']);
  });

  test('a layer of several is named; a table without shapes is a roll', async () => {
    const roll = `create table roll (ML text, VALUE integer); insert into roll values ('1', 9007199254740993);
      insert into gpkg_contents values ('roll', 'attributes');`;
    const path = await geoPackage('layers.gpkg', parcelsTable('parcels 2022', 9) + parcelsTable('parcels 2023') + roll);
    await expect(read(path)).rejects.toThrow(/--layer .*parcels 2022, parcels 2023, roll/);
    expect(await read(path, { layer: 'PARCELS 2022' })).toMatchObject({ crs: 'PROJCS["own"]' });
    expect((await read(path, { prefersTable: true })).rows).toMatchObject([{ properties: { ML: '1', VALUE: '9007199254740993' } }]);
  });

  test('one whose changes go to a write-ahead log is read, unless a program holds some back', async () => {
    const path = await geoPackage('wal.gpkg', parcelsTable('parcels'));
    const bytes = await readFile(path);
    bytes.fill(2, 18, 20);
    await writeFile(path, bytes);
    expectTheParcels((await read(path)).rows);
    expect((await readFile(path)).equals(bytes)).toBe(true);
    await writeFile(`${path}-wal`, 'changes');
    await expect(read(path)).rejects.toThrow(/open in another program/);
  });

  test('one that is damaged further down is refused when its rows are read, naming it', async () => {
    const many = `create table rolls (fid integer primary key, APN text); insert into gpkg_contents values ('rolls', 'attributes');
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 400) insert into rolls select i, 'APN ' || i || hex(zeroblob(100)) from n;`;
    const path = await geoPackage('damaged-below.gpkg', many);
    const bytes = await readFile(path);
    const pages = Array.from({ length: bytes.length / 4096 }, (_, i) => i * 4096);
    bytes.writeUInt16BE(0xffff, pages.findLast((page) => bytes[page] === 0x0d)! + 8); // where the first of the page's rows is
    await expect(read(await files.write('damaged-below.gpkg', bytes))).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/damaged-below\.gpkg can't be read/),
    });
  });

  test('a damaged shape is one broken row, a damaged file is refused, and no lock stays behind', async () => {
    const damage = `update parcels set geom = x'475000010000' where fid = 5; update parcels set geom = x'4750000100000000010a000000' where fid = 15;`;
    const path = await geoPackage('damaged.gpkg', parcelsTable('parcels') + damage);
    expect((await read(path)).rows.map(({ fault }) => fault !== null)).toEqual([true, true, false]);
    const cut = await files.write('cut.gpkg', Buffer.from('SQLite format 3\0'.padEnd(4096, 'x')));
    await expect(read(cut)).rejects.toThrow(/can't be read/);
    expect(await readdir(files.folder)).not.toContainEqual(expect.stringMatching(/\.lock$/));
  });
});

describe('FlatGeobuf', () => {
  test('one that is cut is refused', async () => {
    const bytes = await readFile(projectFile('test/loader/excerpts/parcels.fgb'));
    for (const length of [11, 40, bytes.length - 1])
      await expect(read(await files.write('cut.fgb', bytes.subarray(0, length)))).rejects.toThrow(/cut or damaged|can't be read by GDAL/);
  });
});

describe('KML', () => {
  test('is the same in a KMZ and in other encodings', async () => {
    const document = (await readFile(projectFile('test/loader/excerpts/parcels.kml'), 'utf8')).replace('>KJL<', '>PEÑA<');
    const links =
      '<kml xmlns="http://www.opengis.net/kml/2.2"><NetworkLink><Link><href>layers/Parcels.kml</href></Link></NetworkLink></kml>';
    const { rows } = await read(await files.write('doc.txt', document));
    expect(JSON.stringify(rows)).toContain('PEÑA');
    const paths = [
      await files.write('qgis.kmz', zip({ 'doc.kml': links, 'layers/Parcels.kml': document })),
      await files.write('latin1.kml', Buffer.from(document.replace('UTF-8', 'ISO-8859-1'), 'latin1')),
      await files.write('wide.kml', Buffer.from(`\ufeff${document}`, 'utf16le')),
      await files.write('unmarked.kml', Buffer.from(document, 'utf16le')),
      await files.write('parcels.kmz', zip({ 'doc.kml': document, 'files/legend.png': 'x' })),
    ];
    for (const path of paths) expect(await read(path)).toMatchObject({ format: 'KML', crs: null, rows });
  });

  test('of several folders the named one is read; a document that is nested without end is refused', async () => {
    const placemark = '<Placemark><Point><coordinates>-71,42</coordinates></Point></Placemark>';
    const folders = `<kml><Folder><name>2022</name>${placemark}</Folder><Folder><name>2023</name>${placemark}${placemark}</Folder></kml>`;
    expect((await read(await files.write('folders.kml', folders), { layer: '2023' })).rows).toHaveLength(2);
    await expect(read(await files.write('deep.kml', `<kml>${'<Folder>'.repeat(5_000)}`))).rejects.toThrow(/nested too deeply/);
  });
});

describe('GML', () => {
  test('arcs become lines; a shape with another curve is one broken row', async () => {
    const polygon = (...segments: string[]) =>
      `<gml:Polygon><gml:exterior><gml:Ring><gml:curveMember><gml:Curve><gml:segments>${segments.join('')}</gml:segments></gml:Curve></gml:curveMember></gml:Ring></gml:exterior></gml:Polygon>`;
    const segment = (name: string, positions: string) => `<gml:${name}><gml:posList>${positions}</gml:posList></gml:${name}>`;
    const half = polygon(segment('Arc', halfCircle.join(' ')), segment('LineStringSegment', '-71.12 42.37 -71.1 42.37'));
    const circle = polygon(segment('Circle', halfCircle.join(' ')));
    const members = [half, circle, polygon(segment('BSpline', halfCircle.join(' ')))].map(
      (shape) => `<gml:featureMember><ogr:parcels><ogr:shape>${shape}</ogr:shape></ogr:parcels></gml:featureMember>`,
    );
    const document = `<ogr:FeatureCollection xmlns:gml="http://www.opengis.net/gml" xmlns:ogr="o">${members.join('')}</ogr:FeatureCollection>`;
    const { rows } = await read(await files.write('curves.gml', document));
    expectHalfCircle(rows[0]!);
    expect(areaOf(rows[1]!)).toBeCloseTo(2 * areaOf(rows[0]!), 6);
    expect(rows.map(({ fault }) => fault)).toEqual([null, null, expect.stringMatching(/curves other than arcs/)]);
  });
});

describe('Excel', () => {
  const header = '<row r="1"><c r="A1" t="str"><v>SOLD</v></c></row>';
  const line = '<row r="2"><c r="A2" s="1"><v>43890</v></c></row>';

  test('days of an old Mac are counted from 1904', async () => {
    const { rows } = await read(await files.write('mac.xlsx', workbook({ Roll: header + line }, '<workbookPr date1904="1"/>')));
    expect(rows[0]!.properties.SOLD).toBe('2024-03-01');
  });

  test('of several sheets one is named, also in an archive', async () => {
    const bytes = workbook({ '2022': header, '2023': header + line });
    await expect(read(await files.write('sheets.xlsx', bytes))).rejects.toThrow(/--layer .*2022, 2023/);
    expect((await read(await files.write('sheets.zip', zip({ 'rolls.xlsx': bytes })), { layer: '2023' })).rows).toHaveLength(1);
  });
});

describe('wrappers', () => {
  const csv = 'APN\n1\n2\n';

  test('.gz of any format, also within an archive, and named as it was given', async () => {
    const found = await read(await files.write('parcels.geojson.gz', gzipSync(collection(features))));
    expect(found).toMatchObject({ format: 'GeoJSON', name: 'parcels.geojson.gz' });
    expectTheParcels(found.rows);
    expect((await read(await files.write('gz.zip', zip({ 'roll.csv.gz': gzipSync(csv) })))).rows).toHaveLength(2);
    await expect(read(await files.write('cut.csv.gz', gzipSync(csv.repeat(99)).subarray(0, 30)))).rejects.toThrow(/can't be unpacked/);
    await expect(read(await files.write('none.csv.gz', gzipSync('')))).rejects.toThrow(/^none\.csv\.gz is empty\.$/);
    const bomb = gzipSync(Buffer.alloc(80 * 1024 ** 2, csv));
    await expect(read(await files.write('bomb.csv.gz', bomb))).rejects.toThrow(/grows more than 100-fold/);
  });

  test('archives within archives are unpacked, and --layer names a file in them', async () => {
    const inner = zip({ 'east/parcels.csv': csv, 'west/parcels.csv': 'APN\n3\n', 'readme.txt': 'text' });
    const path = await files.write('outer.zip', zip({ 'all/inner.zip': inner, 'notes.pdf': 'x' }));
    await expect(read(path)).rejects.toThrow(/all\/inner.zip\/east\/parcels.csv, all\/inner.zip\/west\/parcels.csv/);
    expect((await read(path, { layer: 'all/inner.zip/west/parcels' })).rows).toHaveLength(1);
    const deep = [1, 2, 3, 4].reduce((bytes, level) => zip({ [`${level}.zip`]: bytes }), zip({ 'a.csv': csv }));
    await expect(read(await files.write('deep.zip', deep))).rejects.toThrow(/archives/);
    const astray = read(await files.write('astray.zip', zip({ '../../roll.csv': csv })));
    await expect(astray).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^astray.zip can't be unpacked: /),
    });
    const bomb = zip({ 'a.csv': deflateRawSync(Buffer.alloc(80 * 1024 ** 2, csv)) }, { deflatedFrom: 80 * 1024 ** 2 });
    await expect(read(await files.write('inner-bomb.zip', zip({ 'b.zip': bomb })))).rejects.toThrow(/grows more than 100-fold/);
  });

  test('files are known by their content, whatever they are called', async () => {
    const path = await files.write('odd.zip', zip({ 'data.bin': collection(features), 'legend.xml': '<?xml version="1.0"?><metadata/>' }));
    expectTheParcels((await read(path)).rows);
  });

  test('nothing stays behind, whether a file is read or refused', async () => {
    const own = async () => (await readdir(tmpdir())).filter((name) => name.includes(`-${process.pid}-`));
    const before = await own();
    await read(await files.write('any.zip', zip({ 'roll.csv.gz': gzipSync(csv) })));
    for (const bytes of [zip({ 'a.gz': gzipSync('<html>') }), zip({ 'a.gpkg': 'SQLite format 3\0' }), gzipSync('PAR1\u0015')]) {
      await expect(read(await files.write('refused.zip', bytes))).rejects.toThrow();
    }
    expect(await own()).toEqual(before);
  });
});

describe('coordinate systems', () => {
  test("Esri's own codes are those of EPSG", () => {
    const boston = coordinateSystem('EPSG:2249').toWgs84(775_000, 2_955_000);
    for (const stated of ['ESRI:102686', '102686']) {
      const [x, y] = coordinateSystem(stated).toWgs84(775_000, 2_955_000);
      expect([x.toFixed(7), y.toFixed(7)]).toEqual(boston.map((degrees) => degrees.toFixed(7)));
    }
    expect(() => coordinateSystem('ESRI:999999')).toThrow(/not a known EPSG or Esri code/);
  });

  test('a shape in a cell states its own, and may be in any of the notations', () => {
    const outline = { type: 'Polygon', coordinates: [square().coordinates[0]!.flat()] };
    for (const text of [ewkb(square(), 2249), `0x${ewkb(square(), 2249)}`, `\\x${ewkb(square(), 2249)}`])
      expect(parseGeometryText(text)).toEqual({ geometry: outline, srid: 2249 });
    expect(parseGeometryText('srid=2249; POINT ZM (1 2 3 4)')).toEqual({ geometry: { type: 'Point', coordinates: [1, 2] }, srid: 2249 });
    expect(parseGeometryText('SRID=0;POLYGON EMPTY')).toEqual({ geometry: null, srid: null });
    for (const text of [
      'POLYGON((1 2,',
      'POLYGON((1 2))x',
      'POLYGON((1))',
      'CIRCULARSTRING(1 2)',
      '0103',
      wkb(square()).slice(0, -2),
      '{"a":',
    ])
      expect(() => parseGeometryText(text)).toThrow(/The geometry can't be read/);
  });
});

describe('arcs become lines', () => {
  const tuples = '-71.1 42.37, -71.11 42.38, -71.12 42.37';
  test.each([
    ['an arc', `CURVEPOLYGON (COMPOUNDCURVE (CIRCULARSTRING (${tuples}), (-71.12 42.37, -71.1 42.37)))`],
    [
      'with heights',
      `CURVEPOLYGON Z (COMPOUNDCURVE Z (CIRCULARSTRING Z (${tuples.replaceAll(',', ' 5,')} 5), (-71.12 42.37 5, -71.1 42.37 5)))`,
    ],
    ['of a multisurface', `MULTISURFACE (CURVEPOLYGON (COMPOUNDCURVE (CIRCULARSTRING (${tuples}), (-71.12 42.37, -71.1 42.37))))`],
  ])('in WKT: %s', (_, text) => {
    const { geometry } = parseGeometryText(text)!;
    expectHalfCircle({ fault: null, geometry } as SourceRow);
  });

  test('in WKB', () => {
    const [int, doubles] = [(n: number) => [n, 0, 0, 0], (numbers: number[]) => [...Buffer.from(new Float64Array(numbers).buffer)]];
    const arc = [1, ...int(8), ...int(3), ...doubles(halfCircle)];
    const line = [1, ...int(2), ...int(2), ...doubles([-71.12, 42.37, -71.1, 42.37])];
    const bytes = Uint8Array.from([1, ...int(10), ...int(1), 1, ...int(9), ...int(2), ...arc, ...line]);
    const { geometry } = parseWkb(bytes);
    expectHalfCircle({ fault: null, geometry } as SourceRow);
    expect(() => parseWkb(Uint8Array.from([1, ...int(8), ...int(2), ...doubles(halfCircle.slice(0, 4))]))).toThrow(/an arc is missing/);
  });

  test('in FlatGeobuf', async () => {
    const { rows } = await read(projectFile('test/loader/excerpts/arc.fgb'));
    const [square, halfCircle] = [0.001 ** 2, (Math.PI / 2) * 0.0005 ** 2];
    expect(rows.map(({ properties }) => properties.APN)).toEqual(['00123']);
    expect((areaOf(rows[0]!) - square) / halfCircle).toBeCloseTo(0.999, 3);
  });

  test('in Esri JSON, as are Bézier curves; a shape with an elliptic arc is one broken row', async () => {
    const start = [-71.1, 42.37];
    const end = [-71.12, 42.37];
    const kappa = 0.01 * 0.5522847498;
    const beziers = [
      {
        b: [
          [-71.11, 42.38],
          [-71.1, 42.37 + kappa],
          [-71.11 + kappa, 42.38],
        ],
      },
      { b: [end, [-71.11 - kappa, 42.38], [-71.12, 42.37 + kappa]] },
    ];
    const curves = [
      [{ c: [end, [-71.11, 42.38]] }],
      [{ a: [end, [-71.11, 42.37], 0, 0] }],
      beziers,
      [{ a: [end, [-71.11, 42.37], 0, 0, 0, 0.01, 0.5] }],
    ];
    const features = curves.map((parts, i) => ({ attributes: { APN: `${i}` }, geometry: { curveRings: [[start, ...parts, start]] } }));
    const { rows } = await read(await files.write('curves.json', JSON.stringify({ features })));
    for (const row of rows.slice(0, 3)) expectHalfCircle(row);
    expect(rows.map(({ number, fault }) => [number, fault === null])).toEqual([
      [1, true],
      [2, true],
      [3, true],
      [4, false],
    ]);
  });
});

describe('file geodatabases', () => {
  test.each([
    ['a thread that ends without an answer', 'process.exit(3);', /it ended without an answer/, 30_000],
    ['a thread that fails', "throw new Error('out of memory');", /out of memory/, 30_000],
    ['a thread that never ends', 'setInterval(() => {}, 1000);', /took too long/, 500],
  ])('%s is an error of the load, which does not wait for it', async (_, script, reason, limitMs) => {
    const thread = await files.write('thread.mjs', script);
    const request = { path: files.folder, name: 'county.gdb', isGeodatabase: true, choice: {}, folder: files.folder };
    await expect(convertInThread(request, thread, limitMs)).rejects.toThrow(reason);
  });

  const excerpt = projectFile('test/loader/excerpts/county.gdb.zip');
  let folder: string;
  beforeAll(async () => {
    const unpacked = await unpackZip(excerpt);
    closeAtEnd(() => unpacked.folder.remove());
    folder = join(files.folder, 'county.gdb');
    await cp(join(unpacked.folder.path, 'county.gdb'), folder, { recursive: true });
  });

  test('are read without anything installed, and who read them is said', async () => {
    const { rows, ...found } = await read(folder, { layer: 'lots' });
    expect(found).toMatchObject({ format: 'File geodatabase', name: 'county.gdb', crs: 'EPSG:4326' });
    expect(found.warnings).toEqual([expect.stringMatching(/^Read by .* by way of a temporary GeoPackage: layer lots\.$/)]);
    expect(rows.map(({ number, fault }) => [number, fault])).toEqual([1, 2, 3].map((number) => [number, null]));
    // A code that the domain lacks has no words.
    expect(rows.map(({ properties }) => properties)).toEqual([
      { APN: '00123', USE_CODE: '101', USE_CODE_DESCRIPTION: 'Single Family' },
      { APN: '00124', USE_CODE: '130', USE_CODE_DESCRIPTION: 'Vacant' },
      { APN: '00125', USE_CODE: '999', USE_CODE_DESCRIPTION: null },
    ]);
    expect(rows.map(({ geometry }) => geometry !== null)).toEqual([true, false, true]);
    // The first lot's western edge is an arc, which became lines.
    const ring = shapeOf(rows[0]!)![0]!;
    const [radius, x, y] = [5000, -711_100_000, 423_705_000];
    const west = ring.flatMap((at, i) => (i % 2 === 0 && at <= x ? [Math.hypot(at - x, ring[i + 1]! - y)] : []));
    expect(west.length).toBeGreaterThan(40);
    for (const distance of west) expect(Math.abs(distance - radius)).toBeLessThan(10);
  });

  test('a layer of several has to be named, also in an archive', async () => {
    await expect(read(excerpt)).rejects.toThrow(/--layer .*parcels, lots/);
  });

  test('a row that is damaged is a broken row, and the others are read', async () => {
    const damaged = join(files.folder, 'damaged.gdb');
    await cp(folder, damaged, { recursive: true });
    for (const name of await readdir(damaged)) {
      const path = join(damaged, name);
      const bytes = await readFile(path);
      const at = bytes.indexOf('00124');
      if (at < 0 || !name.endsWith('.gdbtable')) continue;
      await writeFile(path, bytes.fill(0xff, at - 1, at + 4)); // the length of its text
    }
    const { rows, warnings } = await read(damaged, { layer: 'lots' });
    const broken = rows.filter(({ fault }) => fault !== null);
    expect(broken.map(({ fault }) => fault)).toEqual([expect.stringMatching(/^GDAL can't read it: /)]);
    expect(rows.filter(({ fault }) => fault === null).map(({ properties }) => properties.APN)).toEqual(['00123', '00125']);
    expect(warnings).toContainEqual(expect.stringMatching(/^damaged\.gdb is damaged\. /));
  });

  test('one that is cut is refused, naming it and without paths of other machines', async () => {
    const cut = join(files.folder, 'cut.gdb');
    await cp(folder, cut, { recursive: true });
    for (const name of await readdir(cut)) await truncate(join(cut, name), 50);
    await expect(read(cut)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^cut\.gdb can't be read by [^/]*$/),
    });
  });
});

test.each([
  ['var parcels = {"type":"FeatureCollection","features":[]};', 'a script'],
  ['window.data.lots=[{"APN":"1"}]', 'a script'],
  ['showParcels({"type":"FeatureCollection","features":[]})', 'a callback'],
  ['/**/ callback([{"APN":"1"}])', 'a comment before'],
])('JavaScript around JSON is named as such: %s', async (text) => {
  await expect(read(await files.write('parcels.js', text))).rejects.toThrow(
    /is JavaScript around JSON: keep only .* from the first \{ or \[ /,
  );
});
