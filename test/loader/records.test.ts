import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Mapping } from '../../src/loader/columns/fields.js';
import { recognise } from '../../src/loader/columns/recognise.js';
import { sampleColumns } from '../../src/loader/columns/sampled-column.js';
import { ColumnarRow } from '../../src/loader/formats/columnar-row.js';
import { type Properties, row, type SourceRow } from '../../src/loader/formats/source-row.js';
import { refuseDegrees, resolveCrs } from '../../src/loader/plan/resolve-crs.js';
import { ByteWriter } from '../../src/loader/records/byte-writer.js';
import { coordinateSystem } from '../../src/loader/records/geometry/crs.js';
import { locationOf } from '../../src/loader/records/geometry/geometry.js';
import { writeGeometry } from '../../src/loader/records/geometry/write-geometry.js';
import { parcelId } from '../../src/loader/records/parcel-id.js';
import { RecordBuilder } from '../../src/loader/records/record.js';
import { dateOf } from '../../src/loader/values/date.js';
import { acresOf, dollarsOf, numberOf, parcelNumberOf, textOf, yearOf, zipOf } from '../../src/loader/values/values.js';
import { recordFields } from '../../src/releases/record-fields/record-fields.js';
import { casesIn } from './cases.js';
import { square } from './files.js';

const straight = coordinateSystem('EPSG:4326').toWgs84;

function written(write: (out: ByteWriter) => void): string {
  const out = new ByteWriter();
  write(out);
  return out.written().toString();
}

describe('what is written byte by byte is, letter for letter, what JavaScript would write', () => {
  test('of strings, plain or with characters that need care', () => {
    const awkward = fc.string({ unit: fc.constantFrom('a', ' ', '"', '\\', '\n', '\0', '\u007f', 'é', '\u2028', '😀', '\ud800') });
    fc.assert(fc.property(fc.oneof(fc.string(), awkward), (text) => written((out) => out.json(text)) === JSON.stringify(text)));
  });

  test('of degrees', () => {
    const units = fc.oneof(
      fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }),
      fc.integer({ min: -180, max: 180 }).map((d) => d * 1e7),
    );
    fc.assert(fc.property(units, (value) => written((out) => out.degrees(value)) === String(value / 1e7)));
  });

  test('of numbers', () => {
    const numbers = fc.oneof(fc.integer(), fc.nat(20_000), fc.double(), fc.constantFrom(null, -0, 999, 1000, 2 ** 31, 1e21));
    fc.assert(fc.property(numbers, (value) => written((out) => out.number(value)) === String(value)));
  });

  test('of ids', () => {
    const namespace = Buffer.from('7f1c5a523c3b5d0e9d0f6a2f6f0c9b11', 'hex');
    const scope = { countyFips: '25017', part: null };
    /** RFC 9562, 5.5: version 5 and the variant replace six bits of the hash. */
    const versionFive = (name: string) => {
      const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16);
      bytes[6] = (bytes[6]! & 0x0f) | 0x50;
      bytes[8] = (bytes[8]! & 0x3f) | 0x80;
      return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    };
    fc.assert(
      fc.property(fc.string(), fc.string(), (apn, unit) => parcelId(scope, apn, [unit]) === versionFive(`25017\0\0${apn}\0${unit}`)),
    );
  });

  test('of more than the buffer holds at first', () => {
    const long = 'é'.repeat(400_000);
    expect(written((out) => out.json(long))).toBe(JSON.stringify(long));
  });
});

/** The tables of a file: `given = expected` a line; both are JSON. */
const rowsIn = <Options>(file: string) =>
  casesIn<Options>('records', file).map(({ lines, ...each }) => ({
    ...each,
    rows: lines.filter(Boolean).map((line) => line.split(' = ').map((part) => JSON.parse(part))),
  }));

const readers: Record<string, (value: never) => unknown> = {
  text: textOf,
  number: numberOf,
  dollars: dollarsOf,
  year: yearOf,
  acres: (value) => acresOf(value, false),
  'square feet': (value) => acresOf(value, true),
  'ZIP code': zipOf,
  'parcel number': (value) => parcelNumberOf(value, 5),
  date: dateOf,
};

test.each(rowsIn('values.txt'))('values are read as they are meant, or as none: $title', ({ title, rows }) => {
  expect(rows.map(([given]) => [given, readers[title]!(given as never)])).toEqual(rows);
});

/** Where a shape lies and how large it is; null where it is none, and what is wrong with it. */
function placeOf(shape: object): unknown {
  try {
    const place = locationOf(shape as never, straight);
    if (!place) return null;
    const { longitude, latitude, gisAcres, polygons } = place;
    return {
      at: [longitude, latitude],
      acres: gisAcres,
      ...(polygons.length > 0 && JSON.parse(written((out) => writeGeometry(place, out)))),
    };
  } catch (error) {
    return (error as Error).message;
  }
}

test.each(rowsIn('shapes.txt'))('shapes $title', ({ rows }) => {
  expect(rows.map(([shape]) => [shape, placeOf(shape)])).toEqual(rows);
});

describe('coordinate systems', () => {
  test.each(rowsIn<{ metres?: number; warning?: string }>('systems.txt'))('$title', ({ options: { metres = 0.25, warning }, rows }) => {
    for (const [[stated, x, y], [longitude, latitude]] of rows) {
      const crs = coordinateSystem(stated);
      const [foundLongitude, foundLatitude] = crs.toWgs84(x, y);
      const east = (foundLongitude - longitude) * Math.cos((latitude * Math.PI) / 180);
      expect(Math.hypot(foundLatitude - latitude, east) * 110_700).toBeLessThan(metres);
      expect(crs.warnings).toEqual(warning ? [expect.stringMatching(warning)] : []);
    }
  });

  test('latitude before longitude is noticed and exchanged', () => {
    const crs = resolveCrs('x.csv', null, undefined, [[42.3, -71.1]]);
    expect(crs.toWgs84(42.3, -71.1)).toEqual([-71.1, 42.3]);
    expect(crs.warnings).toHaveLength(1);
  });

  test('positions that cannot be longitude and latitude need a coordinate system', () => {
    expect(() => resolveCrs('x.shp', null, undefined, [[761224, 2957528]])).toThrow(
      /cannot be longitude\/latitude, and it names no coordinate system/,
    );
    expect(resolveCrs('x.shp', null, 'EPSG:2249', [[761224, 2957528]]).isGeographic).toBe(false);
    expect(resolveCrs('adak.csv', null, undefined, [[183.34, 51.87]]).isGeographic).toBe(true);
  });

  test('degrees in a system of feet or metres are refused, other positions and those of 1927 are not', () => {
    const degrees: [number, number][] = [
      [-71.11, 42.36],
      [0, 0],
      [-71.12, 42.37],
    ];
    for (const name of ['EPSG:2249', 'EPSG:3857', 'EPSG:32610'])
      expect(() => refuseDegrees('x.shp', coordinateSystem(name), degrees)).toThrow(
        /x\.shp \(such as -71\.11, 42\.36\) are degrees, but its coordinate system is taken to be EPSG:\d+ .* feet or meters\. .*--crs EPSG:4326/,
      );
    for (const name of ['EPSG:4267', 'EPSG:4269']) expect(() => refuseDegrees('x.shp', coordinateSystem(name), degrees)).not.toThrow();
    for (const positions of [[], [[0, 0]], [...degrees, [761224, 2957528]]] as [number, number][][])
      expect(() => refuseDegrees('x.shp', coordinateSystem('EPSG:2249'), positions)).not.toThrow();
  });

  test('one that nobody knows is refused', () => {
    for (const code of ['EPSG:999999', 'EPSG:9999999', 'EPSG:4102249'])
      expect(() => coordinateSystem(code)).toThrow(new RegExp(`^${code} is not a known EPSG or Esri code.*--crs EPSG:…`));
    expect(() => coordinateSystem('somewhere')).toThrow(/not understood/);
  });
});

describe('a record', () => {
  const recognised = (properties: Properties) => recognise(sampleColumns([properties])).mapping;
  const build = (properties: Properties, geometry: object | null = square(), mapping = recognised(properties)) => {
    const county = { fips: '25017', name: 'Middlesex County', state: 'MA' };
    const builder = new RecordBuilder(
      { releaseId: 7, county, part: null, source: 'test', sourceDate: '2020-01-31' },
      mapping,
      coordinateSystem('EPSG:4326'),
    );
    const text = (row: SourceRow) => {
      const record = builder.build(row);
      return 'reason' in record ? JSON.stringify(record) : written((out) => builder.write(record, out));
    };
    const named = text(row(1, properties, geometry as never));
    const cells = { columns: ['other', ...Object.keys(properties)], values: [1, ...Object.values(properties)] };
    expect(text(new ColumnarRow(1, cells, geometry as never))).toBe(named);
    return JSON.parse(named);
  };

  test('has texts as the county wrote them, apart from trimming, whatever they hold', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'N', 'U', 'L', ' ', '"', '\\', '\n', '\0', '\u007f', 'é', '\u00a0', '😀', '<', '>', '/'),
    });
    const mapping = { apn: { columns: ['APN'] }, owner_name: { columns: ['OWNER'] } };
    const odd = fc.constantFrom('null', ' NULL ', '<Null>', 'none', 'nan', 'NaN', 'N/A', 'nobody', 'undefined', '\0', ' ');
    fc.assert(
      fc.property(fc.oneof(text, odd, fc.integer(), fc.double()), (owner) => {
        expect(build({ APN: '1', OWNER: owner }, null, mapping).owner_name).toBe(textOf(owner));
      }),
      { numRuns: 1_000 },
    );
  });

  test.each(rowsIn<Mapping>('fields.txt'))('$title', ({ options, rows }) => {
    const mapping = Object.keys(options).length > 0 ? { apn: { columns: ['APN'] }, ...options } : undefined;
    for (const [given, expected] of rows) {
      const record = build({ APN: '1', ...given }, null, mapping);
      expect([given, record]).toEqual([given, expect.objectContaining(expected)]);
    }
  });

  test('has every key in its order, null for what is unknown', () => {
    const record = build({ APN: ' 1-2 ', IMPVALUE: 0, LANDVALUE: '1,000', YEARBUILT: 0, OWNER: ' ' });
    expect(Object.keys(record)).toEqual(recordFields);
    const first =
      'parcel_id county_fips state county_name apn apn_normalized apn_sequence owner_name owner_name_2 ' +
      'mail_address mail_city mail_state mail_zip situs_address situs_city situs_zip use_code ' +
      'use_description zoning land_value improvement_value total_value tax_year tax_amount sale_price ' +
      'sale_date year_built acres gis_acres legal_description latitude longitude geometry source source_date ' +
      'release_id';
    expect(recordFields.slice(0, 36)).toEqual(first.split(' '));
    expect(record).toMatchObject({
      apn: '1-2',
      apn_normalized: '12',
      apn_sequence: 0,
      land_value: 1000,
      improvement_value: 0,
      year_built: null,
      owner_name: null,
      source_date: '2020-01-31',
      release_id: 7,
    });
  });

  test('keeps its id whatever else is known of it, as long as it is the only one of its number', () => {
    const id = build({ APN: '1', SITUS_ADDRESS: '1 ELM ST #2' }, square()).parcel_id;
    expect(build({ PIN: '1' }, null).parcel_id).toBe(id);
    expect(build({ PIN: '1-' }, null).parcel_id).not.toBe(id);
  });

  test('has no earlier field from another column because of a later one', () => {
    const later = { LOT: '7', BLOCK: '2', MAP: '5', LOT_SIZE: '8000', AREA: '9000', BUILDING: '90000', SUBDIVISION: 'OAK HILLS' };
    const { lot, block, apn, acres, improvement_value } = recognised({ ...later, LAND: '50000' });
    expect([apn?.columns, lot, block, acres?.columns]).toEqual([['MAP', 'BLOCK', 'LOT'], undefined, undefined, ['LOT_SIZE']]);
    expect(improvement_value?.columns ?? ['BUILDING']).toEqual(['BUILDING']);
  });
});
