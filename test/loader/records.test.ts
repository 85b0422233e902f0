import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { projectFile } from '../../src/core/project-files.js';
import { recognise } from '../../src/loader/columns/recognise.js';
import { sampleColumns } from '../../src/loader/columns/sampled-column.js';
import { ColumnarRow } from '../../src/loader/formats/columnar-row.js';
import { signedSquareMetres } from '../../src/loader/formats/shapes/ring.js';
import { type Properties, row, type SourceRow } from '../../src/loader/formats/source-row.js';
import { refuseDegrees, resolveCrs } from '../../src/loader/plan/resolve-crs.js';
import { ByteWriter } from '../../src/loader/records/byte-writer.js';
import { coordinateSystem } from '../../src/loader/records/geometry/crs.js';
import { locationOf, type ParcelLocation } from '../../src/loader/records/geometry/geometry.js';
import { writeGeometry } from '../../src/loader/records/geometry/write-geometry.js';
import { parcelId } from '../../src/loader/records/parcel-id.js';
import { type ParcelRecord, RecordBuilder } from '../../src/loader/records/record.js';
import { dateOf } from '../../src/loader/values/date.js';
import { acresOf, dollarsOf, numberOf, parcelNumberOf, textOf, yearOf, zipOf } from '../../src/loader/values/values.js';
import { recordFields } from '../../src/releases/record-fields/record-fields.js';
import { box, ewkb, square, wkb } from './files.js';

const straight = coordinateSystem('EPSG:4326').toWgs84;

function written(write: (out: ByteWriter) => void): string {
  const out = new ByteWriter();
  write(out);
  return out.written().toString();
}

const geoJson = (place: ParcelLocation) => JSON.parse(written((out) => writeGeometry(place, out)));

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

/** The tables of a file: `## title {options}`, then `given = expected` a line; all of it is JSON. */
const tablesIn = (file: string) =>
  readFileSync(projectFile(`test/loader/records/${file}`), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [head = '', ...lines] = section.trimEnd().split('\n');
      const [, title = '', options = 'null'] = /^(.*?)(?: (\{.*\}))?$/.exec(head)!;
      return { title, options: JSON.parse(options), rows: lines.map((line) => line.split(' = ').map((each) => JSON.parse(each))) };
    });

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

test.each(tablesIn('values.txt'))('values are read as they are meant, or as none: $title', ({ title, rows }) => {
  expect(rows.map(([given]) => [given, readers[title]!(given as never)])).toEqual(rows);
});

describe('shapes', () => {
  const ring = (points: number[][]) => locationOf({ type: 'Polygon', coordinates: [points] }, straight);

  test('are closed, wound as RFC 7946 wants, and cut to seven decimals', () => {
    const place = ring([
      [-71.11, 42.37],
      [-71.11, 42.371],
      [-71.109, 42.371000049],
      [-71.109, 42.37],
    ])!;
    expect(geoJson(place)).toEqual({ type: 'Polygon', coordinates: [box(-71.11, 42.37, -71.109, 42.371)] });
  });

  test("their area is the ellipsoid's", () => {
    // A cell of one by one hundredth of a degree at 42° N is 828.98 m by 1110.74 m (by M and N of GRS80).
    const side = (x: number, y: number) => [-71 + x * 0.01, 42 + y * 0.01];
    const { gisAcres } = ring([side(0, 0), side(1, 0), side(1, 1), side(0, 1)])!;
    expect(gisAcres! * 4046.8564224).toBeCloseTo(920_170, -2.5);
  });

  test('the point lies on the parcel, also on one bent around its centre or with a hole in it', () => {
    const bent = ring([
      [0, 0],
      [4, 0],
      [4, 1],
      [1, 1],
      [1, 3],
      [4, 3],
      [4, 4],
      [0, 4],
    ])!;
    expect(bent.longitude).toBeLessThan(1);
    const holed = locationOf({ type: 'Polygon', coordinates: [box(0, 0, 4, 4), box(1, 1, 3, 3)] }, straight)!;
    expect(holed.longitude < 1 || holed.longitude > 3).toBe(true);
  });

  test('are cut at the antimeridian, however their longitudes are written there', () => {
    for (const east of [-179.997, 180.003]) {
      const place = locationOf({ type: 'Polygon', coordinates: [box(179.999, 51.9, east, 51.901)] }, straight)!;
      expect(geoJson(place)).toEqual({
        type: 'MultiPolygon',
        coordinates: [[box(179.999, 51.9, 180, 51.901)], [box(-180, 51.9, -179.997, 51.901)]],
      });
      expect([place.longitude, place.latitude, Math.round(place.gisAcres!)]).toEqual([-179.9985, 51.9005, 8]);
    }
  });

  test('count a part that comes twice once, wherever its ring begins and however it runs', () => {
    const { coordinates } = square();
    const hole = coordinates[0]!.map(([x, y]) => [x! * 0.5 - 35.55475, y! * 0.5 + 21.18525]);
    const open = coordinates[0]!.slice(0, -1);
    const turned = [...open.slice(2), ...open.slice(0, 3)];
    const once = locationOf({ type: 'Polygon', coordinates }, straight)!;
    for (const again of [coordinates, [turned], [turned.toReversed()]])
      expect(locationOf({ type: 'MultiPolygon', coordinates: [coordinates, again] }, straight)).toEqual(once);
    const others = [coordinates, square(1).coordinates, [coordinates[0]!, hole]];
    expect(locationOf({ type: 'MultiPolygon', coordinates: others }, straight)!.polygons).toHaveLength(3);
  });

  describe('of several rings', () => {
    const part = (west: number, south: number, size = 0.001, turns = false) => {
      const ring = box(west, south, west + size, south + size);
      return turns ? ring.toReversed() : ring;
    };
    const of = (...rings: number[][][]) => locationOf({ type: 'Polygon', coordinates: rings }, straight)!;
    const outer = part(-71.11, 42.37);
    const { gisAcres } = of(outer);

    test.each([
      ['apart', -71.2, 42.3],
      ['at a corner', -71.109, 42.371],
      ['at its eastern edge', -71.109, 42.37],
      ['at its western edge', -71.111, 42.37],
      ['at its southern edge', -71.11, 42.369],
      ['at its northern edge', -71.11, 42.371],
    ])('are parts where a second one lies beside the first: %s', (_, west, south) => {
      for (const turns of [false, true]) {
        const place = of(outer, part(west, south, 0.001, turns));
        expect(place).toEqual(locationOf({ type: 'MultiPolygon', coordinates: [[outer], [part(west, south)]] }, straight));
        expect(place.gisAcres! / gisAcres!).toBeCloseTo(2, 2);
      }
    });

    test.each([
      ['within', -71.1096, 42.3704],
      ['at its corner', -71.11, 42.37],
      ['at its eastern edge', -71.1092, 42.3704],
    ])('are a hole where the second one lies in the first: %s', (_, west, south) => {
      for (const turns of [false, true]) {
        const place = of(outer, part(west, south, 0.0002, turns));
        expect(place.polygons.map(({ rings }) => rings.length)).toEqual([2]);
        expect(place.gisAcres! / gisAcres!).toBeCloseTo(0.96, 2);
      }
    });

    test('are holes even if they come before the ring around them', () => {
      const [hole, other, island] = [part(-71.1098, 42.3702, 0.0002), part(-71.1094, 42.3706, 0.0003), part(-71.2, 42.3)];
      const written = of(outer, hole, other, island);
      for (const rings of [
        [hole, outer, other, island],
        [hole, other, outer, island],
        [other, island, hole, outer],
      ]) {
        const place = of(...rings);
        expect(place.gisAcres).toBe(written.gisAcres);
        expect(place.polygons.map(({ rings }) => rings.length).sort()).toEqual([1, 3]);
        for (const { rings } of place.polygons)
          expect(rings.map((ring) => signedSquareMetres(ring) > 0)).toEqual(rings.map((_, i) => i === 0));
      }
    });

    test('keep a hole in the part around it, also beyond the antimeridian', () => {
      const both = of(outer, part(-71.1096, 42.3704, 0.0002), part(-71.2, 42.3), part(-71.1996, 42.3004, 0.0002));
      expect(both.polygons.map(({ rings }) => rings.length)).toEqual([2, 2]);
      const across = box(179.999, 51.9, -179.997, 51.904);
      expect(of(across, part(-179.999, 51.901)).polygons.map(({ rings }) => rings.length)).toEqual([1, 2]);
    });
  });

  test('points have a place but no area; empty shapes have neither; nonsense throws', () => {
    expect(locationOf({ type: 'Point', coordinates: [-71, 42] }, straight)).toEqual({
      polygons: [],
      longitude: -71,
      latitude: 42,
      gisAcres: null,
    });
    expect(locationOf({ type: 'Point', coordinates: [183.34, 51.87] }, straight)).toMatchObject({ longitude: -176.66, latitude: 51.87 });
    expect(locationOf({ type: 'Polygon', coordinates: [] }, straight)).toBeNull();
    expect(locationOf({ type: 'LineString', coordinates: [[0, 1]] }, straight)).toBeNull();
    expect(() => locationOf({ type: 'polygon', coordinates: square().coordinates }, straight)).toThrow(/type that GeoJSON does not have/);
    for (const missing of [0, 1]) {
      const without = [-71, 42].map((value, i) => (i === missing ? null : value));
      expect(() => locationOf({ type: 'Point', coordinates: without }, straight)).toThrow(/not a place on Earth/);
      const open = square().coordinates[0]!.slice(1);
      for (const rings of [[[without, ...open]], [[...open, without].flat()]])
        expect(() => locationOf({ type: 'Polygon', coordinates: rings }, straight)).toThrow(/not a place on Earth/);
    }
    expect(() =>
      ring([
        [1000, 0],
        [4, 0],
        [4, 1],
        [1, 1],
      ]),
    ).toThrow(/not a place on Earth/);
    expect(() =>
      locationOf(
        {
          type: 'Polygon',
          coordinates: [
            [
              ['a', 'b'],
              [1, 2],
              [3, 4],
              [5, 6],
            ],
          ],
        },
        straight,
      ),
    ).toThrow(/not a place on Earth/);
  });
});

describe('coordinate systems', () => {
  // The first corner of Cambridge's own WGS84 export, Berkeley's own latitude and longitude columns, and the sphere's formula.
  test.each([
    ['EPSG:2249', 761224.7164512054, 2957528.485434647, -71.1112704, 42.3629524],
    ['urn:ogc:def:crs:EPSG::2249', 761224.7164512054, 2957528.485434647, -71.1112704, 42.3629524],
    ['EPSG:3857', -7916062.573698636, 5215481.005154142, -71.1112, 42.3628],
    ['102100', -7916062.573698636, 5215481.005154142, -71.1112, 42.3628],
    ['EPSG:32610', 564676.447927, 4191178.8828, -122.26468688, 37.86578837],
    ['EPSG:26910', 564676.447927, 4191178.8828, -122.26468688, 37.86578837],
    ['urn:ogc:def:crs:OGC:1.3:CRS84', -71.1, 42.3, -71.1, 42.3],
    ['EPSG:4269', -71.1, 42.3, -71.1, 42.3],
  ])('%s', (name, x, y, longitude, latitude) => {
    const [foundLongitude, foundLatitude] = coordinateSystem(name).toWgs84(x, y);
    expect(Math.abs(foundLongitude - longitude)).toBeLessThan(0.000002);
    expect(Math.abs(foundLatitude - latitude)).toBeLessThan(0.000002);
  });

  test("Web Mercator as Esri's .prj writes it", () => {
    const wkt =
      'PROJCS["WGS_1984_Web_Mercator_Auxiliary_Sphere",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Mercator_Auxiliary_Sphere"],PARAMETER["False_Easting",0.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",0.0],PARAMETER["Standard_Parallel_1",0.0],PARAMETER["Auxiliary_Sphere_Type",0.0],UNIT["Meter",1.0]]';
    const [longitude, latitude] = coordinateSystem(wkt).toWgs84(-7916062.573698636, 5215481.005154142);
    expect(longitude).toBeCloseTo(-71.1112, 6);
    expect(latitude).toBeCloseTo(42.3628, 6);
  });

  test('a compound .prj counts by its horizontal part', () => {
    const wkt =
      'PROJCS["WGS_1984_UTM_Zone_10N",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-123.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]],VERTCS["NAVD_1988",VDATUM["WGS_1984_Geoid"],PARAMETER["Vertical_Shift",0.0],PARAMETER["Direction",1.0],UNIT["Meter",1.0]]';
    for (const text of [wkt, `COMPD_CS["both",${wkt.replace('],VERTCS', '],VERT_CS')}]`]) {
      const [longitude, latitude] = coordinateSystem(text).toWgs84(564676.447927, 4191178.8828);
      expect(longitude).toBeCloseTo(-122.26468688, 5);
      expect(latitude).toBeCloseTo(37.86578837, 5);
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

  describe('on a datum from before 1983 are shifted by as much as that one, with a warning', () => {
    const metresFrom = (stated: string, x: number, y: number, longitude: number, latitude: number) => {
      const crs = coordinateSystem(stated);
      expect(crs.warnings).toEqual([expect.stringMatching(/datum from before 1983.*about ten meters/)]);
      const [foundLongitude, foundLatitude] = crs.toWgs84(x, y);
      return Math.hypot(
        (foundLatitude - latitude) * 110_700,
        (foundLongitude - longitude) * 110_700 * Math.cos((latitude * Math.PI) / 180),
      );
    };
    const clarke = 'SPHEROID["Clarke_1866",6378206.4,294.9786982]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';
    const hawaii = `GEOGCS["GCS_Old_Hawaiian",DATUM["D_Old_Hawaiian",${clarke}`;

    // Honolulu moves by some eleven seconds to the south and ten to the east, San Juan by seven and two.
    test.each([
      ['EPSG:4135', -158, 21.3, -158 + 9.9 / 3600, 21.3 - 11.1 / 3600],
      ['EPSG:3563', 500_000, 40_000, -158 + 9.9 / 3600, 21.27679 - 11.1 / 3600],
      [hawaii, -158, 21.3, -158 + 9.9 / 3600, 21.3 - 11.1 / 3600],
      ['EPSG:4139', -66.1, 18.4, -66.1 + 2 / 3600, 18.4 - 7.3 / 3600],
    ])('%s', (stated, x, y, longitude, latitude) => {
      expect(metresFrom(stated, x, y, longitude, latitude)).toBeLessThan(25);
    });
  });

  test('on a datum without a known shift are taken as they are, with a warning that says how far positions may be off', () => {
    for (const stated of ['EPSG:4717', '+proj=longlat +ellps=intl +no_defs'])
      expect(coordinateSystem(stated)).toMatchObject({
        isGeographic: true,
        warnings: [expect.stringMatching(/neither NAD83 nor WGS84.*a few hundred meters/)],
      });
    for (const stated of ['EPSG:2249', 'EPSG:32161', 'EPSG:103608', 'EPSG:3857', '+proj=utm +zone=10', '+proj=longlat +ellps=GRS80'])
      expect(coordinateSystem(stated).warnings).toEqual([]);
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

  test.each(tablesIn('fields.txt'))('$title', ({ options, rows }) => {
    for (const [given, expected] of rows) {
      const record = build({ APN: '1', ...given }, null, options ? { apn: { columns: ['APN'] }, ...options } : undefined);
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

  test('is judged by the ZIP code that it states', () => {
    const judged: unknown[] = [];
    const county = { fips: '34013', name: 'Essex County', state: 'NJ' };
    const builder = new RecordBuilder(
      { releaseId: 7, county, part: null, source: 'test', sourceDate: null },
      { apn: { columns: ['APN'] }, situs_zip: { columns: ['ZIP'] } },
      coordinateSystem('EPSG:4326'),
      undefined,
      (_, address) => {
        judged.push(address().zip);
        return null;
      },
    );
    const stated = ['7102', 7102, '7102.0', 71021234, '07102-1234', '0'].map((zip) => {
      const record = builder.build(row(1, { APN: '1', ZIP: zip }, null)) as ParcelRecord;
      return JSON.parse(written((out) => builder.write(record, out))).situs_zip;
    });
    expect(judged).toEqual(stated);
    expect(judged).toEqual(['07102', '07102', '07102', '071021234', '07102-1234', null]);
  });

  test('has no earlier field from another column because of a later one', () => {
    const later = { LOT: '7', BLOCK: '2', MAP: '5', LOT_SIZE: '8000', AREA: '9000', BUILDING: '90000', SUBDIVISION: 'OAK HILLS' };
    const { lot, block, apn, acres, improvement_value } = recognised({ ...later, LAND: '50000' });
    expect([apn?.columns, lot, block, acres?.columns]).toEqual([['MAP', 'BLOCK', 'LOT'], undefined, undefined, ['LOT_SIZE']]);
    expect(improvement_value?.columns ?? ['BUILDING']).toEqual(['BUILDING']);
  });

  test('may do without a parcel number if it has a place', () => {
    expect(build({ APN: '---' })).toMatchObject({ apn: null, apn_normalized: null });
  });

  test('takes its shape from WKT, WKB or GeoJSON in a column', () => {
    const wkt = 'POLYGON ((-71.11 42.37, -71.109 42.37, -71.109 42.371, -71.11 42.371, -71.11 42.37))';
    const written = [wkt, `SRID=4326;${wkt}`, wkt.replace('POLYGON', 'MultiPolygon Z').replace(/\(\(.*\)\)/, '($&)'), wkb(square())];
    for (const text of [...written, ewkb(square(), 4326), JSON.stringify(square())]) {
      expect(build({ APN: '1', the_geom: text }, null).geometry.coordinates[0][0]).toEqual([-71.11, 42.37]);
    }
  });
});
