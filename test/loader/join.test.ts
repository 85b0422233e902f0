import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { planLoad } from '../../src/loader/plan/plan-load.js';
import { countyData, withCountyData } from '../harness/only-with.js';
import { collection, feature, type Scratch, scratch, square } from './files.js';
import { zip } from './zip.js';

let files: Scratch;
beforeAll(async () => {
  files = await scratch();
});

let written = 0;

async function shapesOf(rows: object[]): Promise<string> {
  return files.write(`shapes-${++written}.geojson`, collection(rows.map((properties, i) => feature(properties, square(i)))));
}

async function rollOf(rows: object[]): Promise<string> {
  const lines = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))].map((values) => values.join(';'));
  return files.write(`roll-${++written}.csv`, `${lines.join('\n')}\n`);
}

/** The columns that a load would join by. */
async function joinedBy(shapes: string, roll: string): Promise<string> {
  const plan = await planLoad([shapes], { join: roll }, 'MA');
  await plan.close();
  return `${plan.join!.shapeColumn}=${plan.join!.rollColumn}`;
}

const rows = <Row extends object>(count: number, row: (i: number) => Row): Row[] => Array.from({ length: count }, (_, i) => row(i));

test('a roll of a file with several tables, as that of the shapes, is the one that --join-layer names', async () => {
  const shapes = collection(rows(40, (i) => feature({ ML: `10-${i}` }, square(i))));
  const roll = Array.from({ length: 40 }, (_, i) => `10-${i},O ${i}`);
  const county = { 'parcels.geojson': shapes, 'roll.csv': `ML,OWNER\n${roll.join('\n')}\n`, 'uses.csv': 'USE,MEANS\n101,Dwelling\n' };
  const path = await files.write('county.zip', zip(county));
  await expect(planLoad([path], { join: path }, 'MA')).rejects.toThrow(/--join-layer .*roll.csv, uses.csv/);
  const plan = await planLoad([path], { join: path, joinLayer: 'roll' }, 'MA');
  await plan.close();
  expect([plan.sources[0]!.source.name, plan.mapping.owner_name?.columns]).toEqual(['county.zip/parcels.geojson', ['OWNER']]);
  await expect(planLoad([path], { joinLayer: 'roll' }, 'MA')).rejects.toThrow(/--join-layer needs --join/);
  const only = await rollOf(rows(40, (i) => ({ ML: `10-${i}`, OWNER: `O ${i}` })));
  await expect(planLoad([path], { join: only, joinLayer: 'typo' }, 'MA')).rejects.toThrow(/--join-layer .*It holds: roll/);
});

describe('a roll without --on', () => {
  test('is tied by columns of one name, however it is written, before others that tie more', async () => {
    const shapes = await shapesOf(rows(40, (i) => ({ Tax_Lot_Key: `A${i}-7`, DEED: `B${i}-9` })));
    const roll = await rollOf(rows(40, (i) => ({ DOCUMENT: `B${i}-9`, 'TAX LOTKEY': `A${i + 20}-7`, OWNER: `O ${i}` })));
    expect(await joinedBy(shapes, roll)).toBe('Tax_Lot_Key=TAX LOTKEY');
  });

  test('is tied by columns of different names, where their values are those of parcels', async () => {
    const shapes = await shapesOf(rows(40, (i) => ({ OBJECTID: i, ML: `10-${i}`, LOT: i, STORIES: i % 4 })));
    const roll = await rollOf(rows(40, (i) => ({ OBJECTID: i, STORIES: i % 4, YEAR: 1950 + i, LOTS: i, LINK: `10-${i + 10}` })));
    expect(await joinedBy(shapes, roll)).toBe('ML=LINK');
  });

  test('is tied by short parcel numbers of one name, where most of the first rows have the same', async () => {
    const shapes = await shapesOf(rows(40, (i) => ({ PARCEL: i + 1, STORIES: i % 4 })));
    const roll = await rollOf(rows(50, (i) => ({ STORIES: i % 4, parcel: `${i + 10}.0`, OWNER: `O ${i}` })));
    expect(await joinedBy(shapes, roll)).toBe('PARCEL=parcel');
  });

  test('is tied by parcel numbers that differ in case and punctuation alone, where others do not surely tie it', async () => {
    const shapes = await shapesOf(rows(40, (i) => ({ PIN: `001-${700 + i}-00a`, STORIES: i % 4, SITE: `${i} OAK ST.`, DOC: `D-${i}7-3` })));
    const roll = (key: (i: number) => string, doc = 'E') =>
      rollOf(rows(40, (i) => ({ ACCOUNT: key(i), STORIES: i % 4, SITE: `${i} Oak St`, DOC: `${doc}${i}73` })));
    expect(await joinedBy(shapes, await roll((i) => `001${710 + i}00A`))).toBe('PIN=ACCOUNT');
    expect(await joinedBy(shapes, await roll((i) => `R${i}X-99`, 'D'))).toBe('DOC=DOC');
    await expect(joinedBy(shapes, await roll((i) => `R${i}X-99`))).rejects.toThrow(/clearly/);
    const twins = (i: number) => (i % 2 ? `001-${710 + i}-00A` : `001${711 + i}00-A`);
    await expect(joinedBy(shapes, await roll(twins))).rejects.toThrow(/clearly/);
  });

  test.each([
    ['numbers of rows', { OBJECTID: 1, FID: 100_000 }],
    ['stories and years', { STORIES: 1, BUILT: 1950 }],
    ['amounts', { LAND_VALUE: 100_000 }],
  ])('is refused rather than tied by %s, and --on is named', async (_, start: Record<string, number>) => {
    const columns = (i: number) =>
      Object.fromEntries(Object.entries(start).map(([name, from]) => [name, from < 5_000 ? from + (i % 5) : from + i * 100]));
    const shapes = await shapesOf(rows(60, (i) => ({ APN: `10-${i}`, ...columns(i) })));
    const roll = await rollOf(rows(60, (i) => ({ ACCOUNT: `R${i}X`, ...columns(i + 7) })));
    await expect(joinedBy(shapes, roll)).rejects.toThrow(/clearly.*Name the column that both have with --on COLUMN/);
  });

  test.each<[string, (i: number) => object, (i: number) => object, string]>([
    ['of one name', (i) => ({ PIN: `10-${i}` }), (i) => ({ PIN: `10-${i}` }), 'PIN=PIN'],
    ['of other names', (i) => ({ LINK: `10-${i}`, STORIES: i % 4 }), (i) => ({ STORIES: i % 3, KEY: `10-${i}` }), 'LINK=KEY'],
    ['that are short numbers', (i) => ({ OBJECTID: i, LINK: 20_003 + 7 * i }), (i) => ({ KEY: 20_003 + 7 * i }), 'LINK=KEY'],
    ['that differ in punctuation', (i) => ({ LINK: `10-${i}-A` }), (i) => ({ KEY: `10${i}A` }), 'LINK=KEY'],
  ])('is tied by the keys of the whole files, though their first rows have none in common: keys %s', async (_, shape, ofRoll, pair) => {
    const shapes = await shapesOf(rows(2600, (i) => shape(i + 1000)));
    expect(await joinedBy(shapes, await rollOf(rows(2600, (i) => ({ OWNER: `O ${i}`, ...ofRoll(3599 - i) }))))).toBe(pair);
  });

  test('is not tied by counts of rows, though all are in both files', async () => {
    const shapes = await shapesOf(rows(2600, (i) => ({ SEQ: i + 1, BUILT: 1900 + (i % 100) })));
    const roll = await rollOf(rows(2600, (i) => ({ LINE: 2600 - i, YEAR: 1900 + (i % 100), OWNER: `O ${i}` })));
    await expect(joinedBy(shapes, roll)).rejects.toThrow(/clearly/);
  });

  const cambridge = join(countyData, 'parcels/25017-cambridge-fy2014');
  withCountyData.test('of Cambridge is tied by ML, whichever file comes first and whatever their order', async () => {
    const shapes = join(cambridge, 'parcels_fy2014.shp');
    const roll = join(cambridge, 'TaxFY14.csv');
    expect([await joinedBy(shapes, roll), await joinedBy(roll, shapes)]).toEqual(['ML=ML', 'ML=ML']);
    const [header, ...lines] = (await readFile(roll, 'latin1')).trimEnd().split(/\r?\n/);
    const sorted = await files.write('sorted.csv', [header, ...lines.sort().reverse()].join('\n'));
    expect(await joinedBy(shapes, sorted)).toBe('ML=ML');
    const renamed = await files.write('renamed.csv', [header!.replace('ML', 'GIS_KEY'), ...lines].join('\n'));
    expect(await joinedBy(shapes, renamed)).toBe('ML=GIS_KEY');
  });
});
