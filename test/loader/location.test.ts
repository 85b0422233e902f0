import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { projectFile } from '../../src/core/project-files.js';
import { CountyOutlines } from '../../src/counties/outlines/county-outlines.js';
import { Outline } from '../../src/counties/outlines/outline.js';
import { isInside } from '../../src/loader/formats/shapes/ring.js';
import { CountyMatcher } from '../../src/loader/location/county-matcher.js';
import { here } from '../../src/loader/location/match.js';
import { type MatchMode, MatchTally } from '../../src/loader/location/match-tally.js';
import { statedCounty } from '../../src/loader/location/stated-county.js';
import type { ParcelLocation } from '../../src/loader/records/geometry/geometry.js';
import { locationOf } from '../../src/loader/records/geometry/geometry.js';

const point = (longitude: number, latitude: number): ParcelLocation => ({ polygons: [], longitude, latitude, gisAcres: null });
const shape = (...corners: [number, number][]): ParcelLocation =>
  locationOf({ type: 'Polygon', coordinates: [[...corners, corners[0]!]] }, (x, y) => [x, y])!;

const tableIn = (file: string): Record<string, string>[] => parse(readFileSync(projectFile(file)), { columns: true });

const kings = '36047';
const middlesex = '25017';

describe('the outlines', () => {
  let outlines: CountyOutlines;
  beforeAll(async () => {
    outlines = await CountyOutlines.open();
  });

  test('are those of all counties of the catalogue, under the same names', async () => {
    const catalogue = tableIn('src/counties/county-catalogue.csv');
    expect(outlines.fipsCodes).toEqual(catalogue.map(({ fips }) => fips));
    for (const { fips, name, state } of catalogue.filter((_, i) => i % 20 === 0)) {
      expect(outlines.of(fips!).label).toBe(`${name}, ${state} (${fips})`);
    }
  });

  test.each(tableIn('test/loader/location/places.csv'))('know where $place is ($fips)', ({ fips, longitude, latitude }) => {
    expect(outlines.holding(Number(longitude), Number(latitude))?.fips ?? '').toBe(fips);
    if (fips) expect(outlines.of(fips).outline.holds(Number(longitude), Number(latitude))).toBe(true);
  });

  test('say the same as counting the borders around a point does', () => {
    const corner = fc.tuple(fc.integer({ min: -900, max: 900 }), fc.integer({ min: -900, max: 900 }));
    fc.assert(
      fc.property(fc.array(corner, { minLength: 3, maxLength: 12 }), fc.array(corner, { minLength: 20, maxLength: 20 }), (ring, places) => {
        const corners = [...ring, ring[0]!].flat();
        const [xs, ys] = [ring.map(([x]) => x), ring.map(([, y]) => y)];
        const outline = new Outline([Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)], Int32Array.from(corners), [
          corners.length,
        ]);
        for (const [x, y] of places) {
          // Half a unit aside, so that no place is on a border.
          expect(outline.holds((x + 0.5) / 10_000, (y + 0.25) / 10_000)).toBe(isInside([corners], x + 0.5, y + 0.25));
        }
      }),
    );
  });
});

describe('a row', () => {
  test('lies elsewhere, by the county that it lies in', async () => {
    const matcher = await CountyMatcher.open(kings);
    expect(matcher.match(point(-73.9442, 40.6782))).toEqual(here);
    expect(matcher.match(point(-73.9857, 40.7484))).toEqual({
      is: 'elsewhere',
      reason: 'Lies in New York County, NY (36061), outside of Kings County, NY (36047)',
      detail: 'at -73.98570, 40.74840, 2.4 km away',
      isByZip: false,
      county: 'New York County, NY (36061)',
    });
    expect(matcher.match(point(-71.0589, 42.3601))).toMatchObject({ is: 'elsewhere', county: 'Suffolk County, MA (25025)' });
    expect(matcher.match(point(0, 0))).toMatchObject({ reason: expect.stringContaining('in no county'), county: null });
  });

  test('may lie half a kilometre beside the border, as assessors and the Census do not draw it alike', async () => {
    const matcher = await CountyMatcher.open('20181'); // Sherman County, Kansas: its border with Wallace County runs along a parallel, 39.1326
    const away = (metres: number) => matcher.match(point(-101.7, 39.1326 - metres / 111_320));
    expect(away(400)).toEqual({ is: 'beside', county: 'Wallace County, KS (20199)' });
    expect(away(700)).toMatchObject({ is: 'elsewhere', county: 'Wallace County, KS (20199)' });
  });

  test('may reach over the border with most of its land', async () => {
    const matcher = await CountyMatcher.open('20181');
    expect(matcher.match(shape([-101.7, 39.14], [-101.7, 39.05], [-101.6, 39.05], [-101.6, 39.14]))).toEqual(here);
  });

  test.each([
    ['at 0, 0', [0, 0]],
    ['in another state', [-87.6, 41.9]],
  ] as [string, [number, number]][])('is of no county with a corner %s', async (_, corner) => {
    const matcher = await CountyMatcher.open(middlesex);
    expect(matcher.match(shape([-71.11, 42.37], [-71.109, 42.37], corner))).toMatchObject({ reason: expect.stringMatching(/Middlesex/) });
    // A point on it may lie in the county all the same.
    const sliver = { ...shape([-71.11, 42.37], [-71.109, 42.37], corner), longitude: -71.11, latitude: 42.37 };
    expect(matcher.match(sliver)).toEqual({
      is: 'elsewhere',
      reason: 'Its shape has a corner far outside of Middlesex County, MA (25017)',
      detail: expect.stringContaining(`at ${corner[0].toFixed(5)}, ${corner[1].toFixed(5)}`),
      isByZip: false,
      county: null,
    });
  });

  test.each([
    ['a Connecticut region', '09170', -72.654, 41.212],
    ['Chugach', '02063', -146.33, 59.43],
  ])('may lie on an island off %s, whose outline ends at the shore', async (_, fips, longitude, latitude) => {
    expect((await CountyMatcher.open(fips)).match(point(longitude, latitude))).toEqual({ is: 'beside', county: null });
    expect((await CountyMatcher.open(fips)).match(point(longitude + 6, latitude - 3))).toMatchObject({ is: 'elsewhere' });
  });

  test('of a county on both sides of the antimeridian may lie on either', async () => {
    const matcher = await CountyMatcher.open('02016');
    expect(matcher.match(point(-176.6581, 51.88))).toEqual(here);
    expect(matcher.match(point(172.9, 52.9))).toEqual(here);
    expect(matcher.match(point(-162.3, 55.06))).toMatchObject({ county: 'Aleutians East Borough, AK (02013)' });
  });
});

describe('a row without a place', () => {
  const verdict = async (fips: string, zip: string | null, city: string | null = null) =>
    (await CountyMatcher.open(fips)).matchAddress({ zip, city });

  test.each(tableIn('test/loader/location/addresses.csv'))('is $is: $address', async ({ fips, zip, city, is }) => {
    expect(await verdict(fips!, zip || null, city || null)).toEqual({ is });
  });

  test('is of another county when its ZIP code is of others only', async () => {
    expect(await verdict(kings, '10001')).toEqual({
      is: 'elsewhere',
      reason: 'Its ZIP code is in New York County, NY (36061), not in Kings County, NY (36047)',
      detail: 'ZIP code 10001',
      isByZip: true,
      county: 'New York County, NY (36061)',
    });
    expect(await verdict('25025', '02139')).toMatchObject({ is: 'elsewhere', county: 'Middlesex County, MA (25017)' });
  });

  test('is only likely to be of the county that a city of the same name is in', async () => {
    expect(await verdict('06001', null, 'SAN FRANCISCO')).toEqual({ is: 'likely', county: 'San Francisco County, CA (06075)' });
  });
});

describe('the tally of places', () => {
  const tallyOf = async (fips: string, places: ParcelLocation[], mode?: MatchMode) => {
    const tally = new MatchTally(await CountyMatcher.open(fips), mode);
    const faults = places.map((place) => tally.check(place, () => ({ zip: null, city: null }))).filter((fault) => fault !== null);
    return { tally, faults: faults.length };
  };
  const inManhattan = Array.from({ length: 30 }, (_, i) => point(-73.98 + i * 1e-4, 40.76));
  const inBrooklyn = Array.from({ length: 10 }, (_, i) => point(-73.95 + i * 1e-4, 40.65));

  test('refuses what is mostly of another county, and names it', async () => {
    const { tally } = await tallyOf(kings, [...inManhattan, ...inBrooklyn, point(-71.0589, 42.3601)]);
    expect(() => tally.refuseOtherCounty(5)).toThrow(
      /^Most of the data is outside Kings County, NY \(36047\): 30 of 41 rows lie in New York County, NY \(36061\), 1 in Suffolk County, MA \(25025\), for example at -73.98000, 40.76000/,
    );
  });

  test('lets pass what has some rows of other counties, which it finds fault with', async () => {
    const { tally, faults } = await tallyOf(kings, [...inBrooklyn, ...inManhattan.slice(0, 3)]);
    expect(() => tally.refuseOtherCounty(5)).not.toThrow();
    expect([faults, tally.faults.map(({ rows }) => rows)]).toEqual([3, [3]]);
    expect(tally.report).toMatchObject({ inside: 10, elsewhere: [{ county: 'New York County, NY (36061)', rows: 3 }] });
  });

  test('lets pass what may be rejected for the most part, as one county of a whole state is', async () => {
    const { tally } = await tallyOf(kings, [...inManhattan, ...inBrooklyn]);
    expect(() => tally.refuseOtherCounty(74)).toThrow(/30 of 40 rows/);
    expect(() => tally.refuseOtherCounty(75)).not.toThrow();
  });

  test('refuses a small city for the county around it, though its parcels all lie near the border', async () => {
    const around = Array.from({ length: 20 }, (_, i) => point(-77.1711 + i * 1e-4, 38.8823));
    const { tally, faults } = await tallyOf('51059', around);
    expect(() => tally.refuseOtherCounty(5)).toThrow(/20 of 20 rows lie in Falls Church city, VA \(51610\)/);
    expect(faults).toBeLessThan(20);
  });

  test('rejects no row of the county by its ZIP code alone, and says how many have another', async () => {
    const tally = new MatchTally(await CountyMatcher.open('20181'));
    const around = (zip: string, place: ParcelLocation | null) => tally.check(place, () => ({ zip, city: null }));
    const faults = [
      ...Array.from({ length: 94 }, () => around('67735', null)),
      around('67758', null),
      around('67758', point(-101.7, 39.13)),
    ];
    expect(faults.filter(Boolean)).toEqual([]);
    expect(tally.warnings).toEqual([expect.stringMatching(/^2 rows loaded, but doubtful: Its ZIP code is in Wallace County, KS/)]);
    expect(() => tally.refuseOtherCounty(5)).not.toThrow();
    for (let i = 0; i < 20; i++) around('67758', null);
    expect(() => tally.refuseOtherCounty(5)).toThrow(/22 rows of other counties: Its ZIP code is in Wallace County.*--max-rejects 50/);
  });

  test('knows the first rows of a neighbour by their ZIP codes, where most rows may be of others', async () => {
    const tally = new MatchTally(await CountyMatcher.open('20181'), 'rejects');
    const beside = point(-101.7, 39.13);
    expect(tally.check(beside, () => ({ zip: '67758', city: null }))).toMatchObject({ is: 'elsewhere' });
    expect(tally.check(beside, () => ({ zip: '67735', city: null }))).toBeNull();
    expect(tally.report).toMatchObject({ inside: 0, beside: 1, elsewhere: [{ rows: 1 }] });
  });

  test('finds fault with nothing when forced, and counts all the same', async () => {
    const { tally, faults } = await tallyOf(kings, inManhattan, 'forced');
    expect([faults, tally.faults]).toEqual([0, []]);
    expect(tally.report.elsewhere).toMatchObject([{ rows: 30 }]);
  });

  const check = async (fips: string, addresses: { zip: string | null; city: string | null }[], mode?: MatchMode) => {
    const tally = new MatchTally(await CountyMatcher.open(fips), mode);
    const faults = addresses.map((address) => tally.check(null, () => address)).filter((fault) => fault !== null);
    return { tally, faults: faults.length };
  };
  const rows = (count: number, zip: string | null, city: string | null = null) => Array.from({ length: count }, () => ({ zip, city }));

  test('goes by ZIP codes where there are no places', async () => {
    const { tally, faults } = await check(kings, [...rows(9, '10001'), ...rows(5, '11201'), ...rows(90, null)], 'rejects');
    expect(faults).toBe(9);
    expect(() => tally.refuseOtherCounty(5)).toThrow(/9 of 14 rows lie in New York County, NY \(36061\), for example ZIP code 10001/);
  });

  test('goes by cities only when most are of one other county, and finds fault with no row for that', async () => {
    const { tally, faults } = await check('06001', [...rows(9, null, 'San Francisco'), ...rows(5, null, 'Oakland')]);
    expect(faults).toBe(0);
    expect(() => tally.refuseOtherCounty(5)).toThrow(/9 of 14 rows name a city in San Francisco County, CA \(06075\)/);
    const hamlets = await check('06001', [...rows(9, null, 'San Francisco'), ...rows(10, null, 'Springfield Gardens Heights')]);
    expect(() => hamlets.tally.refuseOtherCounty(5)).not.toThrow();
    const townships = await check('06001', [...rows(4, null, 'San Francisco'), ...rows(4, null, 'San Jose'), ...rows(1, null, 'Oakland')]);
    expect(() => townships.tally.refuseOtherCounty(5)).not.toThrow();
  });

  test.each<[string, string, string | RegExp]>([
    ['its name', 'KINGS', 'taken'],
    ['its name with its kind', 'Kings Co.', 'taken'],
    ['its code', kings, 'taken'],
    ['another name', 'RICHMOND', /The rows name county RICHMOND \(column County\), not 36047/],
    ['another code', '36085', /The rows name county 36085/],
    ['no county of the state', 'Cook', /9 of 9 rows lie in New York County/],
  ])('goes before ZIP codes by a column that says %s (%s)', async (_, county, outcome) => {
    const sample = Array.from({ length: 9 }, (_, i) => ({
      number: i + 1,
      properties: { County: county },
      geometry: null,
      fault: null,
      cells: null,
    }));
    const matcher = await CountyMatcher.open(kings);
    const tally = new MatchTally(matcher, 'only places', statedCounty(sample, matcher));
    for (const _ of sample) tally.check(null, () => ({ zip: '10001', city: null }));
    if (outcome instanceof RegExp) expect(() => tally.refuseOtherCounty(5)).toThrow(outcome);
    else expect(() => tally.refuseOtherCounty(5)).not.toThrow();
  });

  test('tells over how much of the land of a county its rows spread', async () => {
    const { outline } = (await CountyMatcher.open('20181')).county;
    const [west, south, east, north] = outline.box.map((units) => units / 10_000) as [number, number, number, number];
    const everywhere = (to: number) =>
      Array.from({ length: 64 * 64 }, (_, i) =>
        point(west + (((i % 64) + 0.5) / 64) * (east - west) * to, south + ((Math.floor(i / 64) + 0.5) / 64) * (north - south)),
      );
    expect((await tallyOf('20181', everywhere(1))).tally.report.spread).toEqual({ cells: 256, filled: 256 });
    expect((await tallyOf('20181', everywhere(0.5))).tally.report.spread).toEqual({ cells: 256, filled: 128 });
    expect((await tallyOf('20181', [])).tally.report.spread).toEqual({ cells: 256, filled: 0 });
  });

  test('counts islands apart from the sea around them', async () => {
    const { cells } = (await tallyOf('02016', [])).tally.report.spread;
    expect(cells).toBeGreaterThan(10);
    expect(cells).toBeLessThan(100);
  });
});
