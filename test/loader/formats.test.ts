import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { printable } from '../../src/core/printable.js';
import { projectFile } from '../../src/core/project-files.js';
import { mappableFields } from '../../src/loader/columns/fields.js';
import { recognise } from '../../src/loader/columns/recognise.js';
import { sampleColumns } from '../../src/loader/columns/sampled-column.js';
import { temporaryFolder } from '../../src/loader/formats/archives/temporary-folder.js';
import { unpackZip } from '../../src/loader/formats/archives/zip.js';
import { convertInThread } from '../../src/loader/formats/gdal/open-by-gdal.js';
import { parseFeature } from '../../src/loader/formats/json/parse-feature.js';
import type { LayerChoice } from '../../src/loader/formats/layers.js';
import { openSources } from '../../src/loader/formats/open-source.js';
import type { SourceRow } from '../../src/loader/formats/source-row.js';
import { locationOf } from '../../src/loader/records/geometry/geometry.js';
import { parseGeometryText } from '../../src/loader/records/geometry/geometry-text.js';
import { numberOf } from '../../src/loader/values/values.js';
import { closeAtEnd } from '../harness/closing.js';
import { collection, dbf, feature, type Scratch, scratch, shp, shx, square } from './files.js';
import { zip } from './zip.js';

let files: Scratch;
beforeAll(async () => {
  files = await scratch();
});

async function read(path: string, wish: LayerChoice = {}) {
  const [source] = await openSources([path], wish);
  try {
    const rows: SourceRow[] = [];
    for await (const batch of source!.read({ bytesRead: 0 })) rows.push(...batch);
    return { ...source!, rows };
  } finally {
    await source!.close();
  }
}

const valuesOf = (rows: SourceRow[], column: string) => rows.map(({ properties }) => properties[column]);

/** Nested coordinates as the sources give them: rings flat, without heights. */
function flat(value: unknown[]): unknown[] {
  if (!Array.isArray(value[0])) return value.slice(0, 2);
  return Array.isArray(value[0][0])
    ? value.map((item) => flat(item as unknown[]))
    : (value as number[][]).flatMap((position) => position.slice(0, 2));
}

function jsonOrNull(text: string): { geometry: { coordinates: unknown[] } } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

describe('GeoJSON', () => {
  test('features are cut alike wherever the chunks of a file end', async () => {
    const odd = [
      { APN: '1', note: '\\"}' },
      { APN: '2', features: '\\\\' },
      { APN: '3', OWNER: 'PEÑA' },
      { APN: '4', OWNER: 'A"B' },
    ];
    const features = odd.map((each, i) => feature(each, i === 1 ? { type: 'Point', coordinates: [-71.11, 42.37] } : null));
    const { length } = collection(features);
    const chunkBytes = 256 * 1024;
    for (let before = 0; before < length; before++) {
      const name = 'x'.repeat(chunkBytes - 'before'.length - before);
      const path = await files.write(
        'chunks.geojson',
        JSON.stringify({ name, type: 'FeatureCollection', features, crs: { type: 'a\\"b' } }),
      );
      const { rows } = await read(path);
      expect(rows.map(({ properties }) => properties)).toEqual(odd);
      expect(rows.map(({ number, geometry }) => [number, geometry === null])).toEqual(odd.map((_, i) => [i + 1, i !== 1]));
    }
  });

  test.each([
    ['a feature', '[{"a":1},{"a":"', '"},{"a":3}]'],
    ['a line', '{"a":1}\n{"a":"', '"}\n{"a":3}\n'],
  ])('%s beyond any memory is one broken row', async (_, head, tail) => {
    const path = await files.write(
      'beyond.json',
      Buffer.concat([Buffer.from(head), Buffer.alloc(129 * 1024 ** 2, 'x'), Buffer.from(tail)]),
    );
    const { rows } = await read(path);
    expect(rows).toMatchObject([{ properties: { a: 1 } }, { number: 2, fault: 'Larger than 128 MB' }, { number: 3, properties: { a: 3 } }]);
  });

  test('the numbers of coordinates are those of JSON.parse, in flat rings without heights', () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.stringMatching(/^-?(0|[1-9]\d{0,16})(\.\d{1,16})?$/),
      fc.constantFrom('', '-', '01', '-00.5', '1.', '.5', '1e3', '-2.5E-07', '1e', '1.5.2', ' 1', '2\n', '-0'),
    );
    const position = fc.tuple(number, number, fc.constantFrom('', ',1', ', -2.5 ,3e4')).map(([x, y, heights]) => `[${x},${y}${heights}]`);
    fc.assert(
      fc.property(fc.array(position, { minLength: 1, maxLength: 4 }), fc.constantFrom(',', ' , ', ''), (positions, separator) => {
        const text = `{"geometry":{"coordinates":[[${positions.join(separator)}]] , "type":"Polygon"}}`;
        const { geometry, fault } = parseFeature(1, Buffer.from(text));
        const expected = jsonOrNull(text);
        if (expected === null) expect(fault).toMatch('Not valid JSON');
        else expect(geometry!.coordinates).toEqual(flat(expected.geometry.coordinates));
      }),
      { numRuns: 2_000 },
    );
  });
});

test('characters of UTF-16 are whole where the chunks of a file end, from either end', async () => {
  const text = Buffer.from(`APN,Owner\r\n1,PEÑA\r\n2,Łódź\r\n${'3,SMITH\r\n'.repeat(9_000)}`, 'utf16le');
  for (const bytes of [text, Buffer.from(text).swap16()]) {
    const { rows } = await read(await files.write('unmarked.csv', bytes));
    expect(valuesOf(rows.slice(0, 3), 'Owner')).toEqual(['PEÑA', 'Łódź', 'SMITH']);
    expect(rows).toHaveLength(9_002);
  }
});

test('a Shapefile whose index has its shapes in another order is followed through many, and large ones', async () => {
  const large = Array.from({ length: 5_000 }, (_, i) => [i, i % 7]);
  const small = Array.from({ length: 1_000 }, (_, i) => [
    [
      [i, 0],
      [i, 1],
      [i + 1, 1],
      [i, 0],
    ],
  ]);
  const many = [[large], ...small];
  const stored = shp(many);
  const places: number[] = [];
  for (let at = 100; at < stored.length; at += 8 + stored.readInt32BE(at + 4) * 2) places.push(at);
  await files.write('many.dbf', dbf([['APN', 'C', 4]], Array(many.length).fill(['1'])));
  await files.write('many.shx', shx(stored, places.reverse()));
  const { rows } = await read(await files.write('many.shp', stored));
  const firsts = rows.map(({ geometry }) => (geometry!.coordinates as number[][])[0]!);
  expect(firsts.map(([x]) => x)).toEqual(many.map(([ring]) => ring![0]![0]).reverse());
  expect(firsts.at(-1)).toHaveLength(10_000);
});

/** Fails the test where the code before took longer than Jest's limit, which is looked at by a turn of the event loop's timers only. */
const withinLimit = () => setTimeout();

describe('a file that is made to do harm', () => {
  test('a feature nested without end is one broken row', async () => {
    const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);
    const lines = [
      `{"type":"Feature","properties":{"APN":"1","x":${deep('[', ']')}},"geometry":null}`,
      `{"type":"Feature","properties":{"APN":"2"},"geometry":{"type":"Polygon","coordinates":${deep('[', ']')}}}`,
      `{"type":"Feature","properties":{"APN":"3"},"geometry":${deep('{"type":"GeometryCollection","geometries":[', ']}')}}`,
      `{"type":"Feature","properties":{"APN":"4","x":${deep('[', ']')}},"geometry":${JSON.stringify(square())}}`,
      JSON.stringify(feature({ APN: '5' })),
    ];
    const { rows } = await read(await files.write('deep.ndjson', lines.join('\n')));
    const tooDeep = 'Nested too deeply';
    expect(rows.map(({ fault }) => fault)).toEqual([tooDeep, tooDeep, tooDeep, tooDeep, null]);
    expect(() => parseGeometryText(`{"type":"GeometryCollection","geometries":[${deep('[', ']')}]}`)).toThrow('nested too deeply');
    expect(() => parseGeometryText(`${'GEOMETRYCOLLECTION('.repeat(20_000)}POINT(1 2)`)).toThrow('nested too deeply');
    const collections = `${'0107000000' + '01000000'}`.repeat(20_000);
    expect(() => parseGeometryText(collections)).toThrow('nested too deeply');
    await expect(read(await files.write('deep.kml', `<kml>${'<Folder>'.repeat(5_000)}`))).rejects.toThrow(/nested too deeply/);
  });

  test.each([
    ['spaces', `x${' '.repeat(400_000)}y`],
    ['digits', '1'.repeat(400_000)],
    ['a shape without an end', `POLYGON${' '.repeat(400_000)}x`],
    ['an amount without one', `$${' '.repeat(400_000)}.`],
  ])('a cell of very many %s takes no longer than others of its length', async (_, cell) => {
    const row = Object.fromEntries(mappableFields.map((field) => [field, cell]));
    recognise(sampleColumns([row, { ...row, PARCEL_ID: cell, OBJECTID: cell, VALUE: cell, ZONE: cell }]));
    numberOf(cell);
    // Of time that grows with the square of the length, one such cell takes minutes.
    await withinLimit();
  });

  test('as many columns as there may be, all of one kind, are recognised soon', async () => {
    const names = ['LAND_VALUE_', 'ADDRESS', 'CITY_', 'ABCDEFGHIJ', 'MAPBLOCKLOT'];
    const row = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, i) => [`${names[i % names.length]}${(i % 40) + 2000}${'X'.repeat(i / 100)}`, '1']),
    );
    recognise(sampleColumns([row, row]));
    await withinLimit();
  });

  test('a table of too many columns is refused', () => {
    const row = Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`C${index}`, '1']));
    expect(() => sampleColumns([row])).toThrow(/more than 5000 columns/);
  });

  test('an archive or a packed file that grows a hundredfold is refused before it is unpacked, also within an archive', async () => {
    const long = Buffer.alloc(80 * 1024 ** 2, 'APN\n1\n');
    const bomb = zip({ 'parcels.csv': deflateRawSync(long) }, { deflatedFrom: long.length });
    for (const [name, bytes] of Object.entries({ 'bomb.zip': bomb, 'inner.zip': zip({ 'b.zip': bomb }), 'bomb.csv.gz': gzipSync(long) }))
      await expect(read(await files.write(name, bytes))).rejects.toThrow(/grows more than 100-fold/);
  });

  test('what a killed process had unpacked is deleted', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const abandoned = await mkdtemp(join(tmpdir(), `parcel-records-${hostname()}-${pid}-1700000000-`));
    const ofEarlierStart = await mkdtemp(join(tmpdir(), `parcel-records-${hostname()}-${process.pid}-1700000000-`));
    const used = await temporaryFolder();
    await read(await files.write('any.zip', zip({ 'parcels.csv': 'APN\n1\n' })));
    expect([abandoned, ofEarlierStart, used.path].map(existsSync)).toEqual([false, false, true]);
    await used.remove();
  });

  test('no name of a column reaches the terminal as a command', () => {
    expect(printable('APN\u001b]0;owned\u0007\u001b[2J\u202ecsv\r\n')).toBe('APN\ufffd]0;owned\ufffd\ufffd[2J\ufffdcsv\ufffd\ufffd');
  });
});

test('a folder is refused as what it is', async () => {
  await expect(read(files.folder)).rejects.toThrow(/is a folder/);
});

test('a FlatGeobuf that is cut is refused', async () => {
  const bytes = await readFile(projectFile('test/loader/excerpts/parcels.fgb'));
  for (const length of [11, bytes.length - 1])
    await expect(read(await files.write('cut.fgb', bytes.subarray(0, length)))).rejects.toThrow(/cut or damaged|can't be read by GDAL/);
});

test('nothing stays behind, whether a file is read or refused', async () => {
  const own = async () => (await readdir(tmpdir())).filter((name) => name.includes(`-${process.pid}-`));
  const before = await own();
  await read(await files.write('any.zip', zip({ 'roll.csv.gz': gzipSync('APN\n1\n') })));
  for (const bytes of [zip({ 'a.gz': gzipSync('<html>') }), zip({ 'a.gpkg': 'SQLite format 3\0' }), gzipSync('PAR1\u0015')]) {
    await expect(read(await files.write('refused.zip', bytes))).rejects.toThrow();
  }
  expect(await own()).toEqual(before);
});

/** The area of a shape's outer ring in square degrees. */
function areaOf(geometry: SourceRow['geometry']): number {
  const [outer] = locationOf(geometry!, (x, y) => [x, y])!.polygons;
  const ring = outer!.rings[0]!.map((units) => units / 1e7);
  let twice = 0;
  for (let i = 2; i < ring.length; i += 2)
    twice += (ring[i - 2]! - ring[0]!) * (ring[i + 1]! - ring[1]!) - (ring[i]! - ring[0]!) * (ring[i - 1]! - ring[1]!);
  return twice / 2;
}

describe('arcs become lines', () => {
  /** From east over north to west: a radius of a hundredth of a degree. */
  const halfCircle = [-71.1, 42.37, -71.11, 42.38, -71.12, 42.37];
  /** How large it is beside a half circle, which lines of four degrees fill but for a thousandth. */
  const expectShare = (geometry: SourceRow['geometry'], share: number) =>
    expect(areaOf(geometry) / ((Math.PI / 2) * 0.01 ** 2) / share).toBeCloseTo(1, 2.7);

  const tuples = '-71.1 42.37, -71.11 42.38, -71.12 42.37';
  const [int, doubles] = [(n: number) => [n, 0, 0, 0], (numbers: number[]) => [...Buffer.from(new Float64Array(numbers).buffer)]];
  const line = [1, ...int(2), ...int(2), ...doubles([-71.12, 42.37, -71.1, 42.37])];
  const binary = [1, ...int(10), ...int(1), 1, ...int(9), ...int(2), 1, ...int(8), ...int(3), ...doubles(halfCircle), ...line];
  test.each([
    ['WKT', `CURVEPOLYGON (COMPOUNDCURVE (CIRCULARSTRING (${tuples}), (-71.12 42.37, -71.1 42.37)))`],
    [
      'WKT with heights',
      `CURVEPOLYGON Z (COMPOUNDCURVE Z (CIRCULARSTRING Z (${tuples.replaceAll(',', ' 5,')} 5), (-71.12 42.37 5, -71.1 42.37 5)))`,
    ],
    ['a multisurface', `MULTISURFACE (CURVEPOLYGON (COMPOUNDCURVE (CIRCULARSTRING (${tuples}), (-71.12 42.37, -71.1 42.37))))`],
    ['WKB', Buffer.from(binary).toString('hex')],
  ])('in %s', (_, text) => expectShare(parseGeometryText(text)!.geometry, 1));

  test('in FlatGeobuf', async () => {
    const { rows } = await read(projectFile('test/loader/excerpts/arc.fgb'));
    expect(valuesOf(rows, 'APN')).toEqual(['00123']);
    expect((areaOf(rows[0]!.geometry) - 0.001 ** 2) / ((Math.PI / 2) * 0.0005 ** 2)).toBeCloseTo(0.999, 3);
  });

  const segment = (name: string, positions: string) => `<gml:${name}><gml:posList>${positions}</gml:posList></gml:${name}>`;
  const members = [
    segment('Arc', halfCircle.join(' ')) + segment('LineStringSegment', '-71.12 42.37 -71.1 42.37'),
    segment('Circle', halfCircle.join(' ')),
    segment('BSpline', halfCircle.join(' ')),
  ].map(
    (segments) =>
      `<gml:featureMember><o:parcels><o:shape><gml:Polygon><gml:exterior><gml:Ring><gml:curveMember><gml:Curve><gml:segments>${segments}</gml:segments></gml:Curve></gml:curveMember></gml:Ring></gml:exterior></gml:Polygon></o:shape></o:parcels></gml:featureMember>`,
  );

  const [start, middle, end] = [
    [-71.1, 42.37],
    [-71.11, 42.38],
    [-71.12, 42.37],
  ] as const;
  const kappa = 0.01 * 0.5522847498;
  const beziers = [
    { b: [middle, [-71.1, 42.37 + kappa], [-71.11 + kappa, 42.38]] },
    { b: [end, [-71.11 - kappa, 42.38], [-71.12, 42.37 + kappa]] },
  ];
  const curves = [
    [{ c: [end, middle] }],
    [{ a: [end, [-71.11, 42.37], 0, 0] }],
    beziers,
    [{ a: [end, [-71.11, 42.37], 0, 0, 0, 0.01, 0.5] }],
  ].map((parts, i) => ({ attributes: { APN: `${i}` }, geometry: { curveRings: [[start, ...parts, start]] } }));

  test.each([
    [
      'GML; a shape with another curve is one broken row',
      `<o:FeatureCollection xmlns:gml="http://www.opengis.net/gml" xmlns:o="o">${members.join('')}</o:FeatureCollection>`,
      [1, 2],
    ],
    ['Esri JSON, as are Bézier curves; a shape with an elliptic arc is one broken row', JSON.stringify({ features: curves }), [1, 1, 1]],
  ])('in %s', async (_, text, shares) => {
    const { rows } = await read(await files.write('curves.txt', text));
    expect(rows.map(({ number, fault }) => [number, fault === null])).toEqual([...shares, 0].map((share, i) => [i + 1, share > 0]));
    for (const [i, share] of shares.entries()) expectShare(rows[i]!.geometry, share);
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
    const ring = locationOf(rows[0]!.geometry!, (x, y) => [x, y])!.polygons[0]!.rings[0]!;
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
