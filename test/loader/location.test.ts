import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { projectFile } from '../../src/core/project-files.js';
import { CountyOutlines } from '../../src/counties/outlines/county-outlines.js';
import { Outline } from '../../src/counties/outlines/outline.js';
import { isInside } from '../../src/loader/formats/shapes/ring.js';
import { CountyMatcher } from '../../src/loader/location/county-matcher.js';
import { MatchTally } from '../../src/loader/location/match-tally.js';
import type { ParcelLocation } from '../../src/loader/records/geometry/geometry.js';
import { locationOf } from '../../src/loader/records/geometry/geometry.js';
import { casesIn } from './cases.js';

const point = (longitude: number, latitude: number): ParcelLocation => ({ polygons: [], longitude, latitude, gisAcres: null });
const shape = (...corners: [number, number][]): ParcelLocation =>
  locationOf({ type: 'Polygon', coordinates: [[...corners, corners[0]!]] }, (x, y) => [x, y])!;

const tableIn = (file: string): Record<string, string>[] => parse(readFileSync(projectFile(file)), { columns: true });

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

/** A place is a position, or the corners of a shape and the point that stands for it. */
const placeOf = ([corners, at]: [number[] | [number, number][], [number, number]?]): ParcelLocation => {
  const place = Array.isArray(corners[0]) ? shape(...(corners as [number, number][])) : point(...(corners as [number, number]));
  return at ? { ...place, longitude: at[0], latitude: at[1] } : place;
};

test.each(casesIn('location', 'rows.txt'))('a row $title', async ({ lines }) => {
  for (const line of lines.filter(Boolean)) {
    const [[fips, ...given], expected] = line.split(' = ').map((part) => JSON.parse(part));
    const matcher = await CountyMatcher.open(fips);
    const match = 'zip' in given[0] ? matcher.matchAddress(given[0]) : matcher.match(placeOf(given));
    expect([given, match]).toEqual([given, expected]);
  }
});

test.each(tableIn('test/loader/location/addresses.csv'))('a row without a place is $is: $address', async ({ fips, zip, city, is }) => {
  expect((await CountyMatcher.open(fips!)).matchAddress({ zip: zip || null, city: city || null })).toEqual({ is });
});

const spreadOf = async (fips: string, places: ParcelLocation[]) => {
  const tally = new MatchTally(await CountyMatcher.open(fips));
  for (const place of places) tally.check(place, () => ({ zip: null, city: null }));
  return tally.report.spread;
};

test('it is known over how much of the land of a county its rows spread', async () => {
  const { outline } = (await CountyMatcher.open('20181')).county;
  const [west, south, east, north] = outline.box.map((units) => units / 10_000) as [number, number, number, number];
  const everywhere = (to: number) =>
    Array.from({ length: 64 * 64 }, (_, i) =>
      point(west + (((i % 64) + 0.5) / 64) * (east - west) * to, south + ((Math.floor(i / 64) + 0.5) / 64) * (north - south)),
    );
  expect(await spreadOf('20181', everywhere(1))).toEqual({ cells: 256, filled: 256 });
  expect(await spreadOf('20181', everywhere(0.5))).toEqual({ cells: 256, filled: 128 });
  expect(await spreadOf('20181', [])).toEqual({ cells: 256, filled: 0 });
});

test('islands count apart from the sea around them', async () => {
  const { cells } = await spreadOf('02016', []);
  expect(cells).toBeGreaterThan(10);
  expect(cells).toBeLessThan(100);
});
