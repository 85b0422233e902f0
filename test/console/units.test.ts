import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markAsPresent, removeOld } from '../../src/console/build/assets.js';
import { formatArea, relativeTime } from '../../src/console/format.js';
import { type CountyName, findPlaces, type Place } from '../../src/console/map/find-places.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

const counties: CountyName[] = [
  ['25017', 'Middlesex County', 'MA'],
  ['34023', 'Middlesex County', 'NJ'],
  ['48453', 'Travis County', 'TX'],
  ['29189', 'St. Louis County', 'MO'],
  ['24037', "St. Mary's County", 'MD'],
  ['35013', 'Doña Ana County', 'NM'],
  ['53033', 'King County', 'WA'],
  ['48269', 'King County', 'TX'],
  ['36047', 'Kings County', 'NY'],
  ['40073', 'Kingfisher County', 'OK'],
];
const inWords = (place: Place) => (place.kind === 'state' ? place.code : place.fips);
const found = (text: string, ready: string[] = []) => findPlaces(text, counties, (fips) => ready.includes(fips)).map(inWords);

describe('the places that a text names', () => {
  it.each([
    ['trav', ['48453']],
    ['TRAVIS COUNTY, texas', ['48453']],
    ['travis tx', ['48453']],
    ['travis ma', []],
    ['48453', ['48453']],
    ['484', ['48453']],
    ['saint louis', ['29189']],
    ['st marys', ['24037']],
    ['dona ana', ['35013']],
    ['massa', ['MA', '25017']],
    ['nj', ['NJ', '34023']],
    ['  ', []],
    ['.', []],
  ])('%j', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it('begin with what is called exactly so, and of those with what has records', () => {
    expect(found('king', ['48269'])).toEqual(['48269', '53033', '40073', '36047']);
    expect(found('middlesex', ['34023'])).toEqual(['34023', '25017']);
  });
});

const [hour, day] = [3_600_000, 86_400_000];

describe('a time in words', () => {
  it.each([
    ['in 30 days', 30 * day - 2000],
    ['in 29 days', 29.4 * day],
    ['in 2 months', 60 * day],
    ['tomorrow', 23.9 * hour],
    ['59 seconds ago', -59_400],
    ['now', -300],
    ['2 years ago', -730 * day],
  ])('is %s, rounded to the nearest', (words, distanceMs) => {
    expect(relativeTime(distanceMs)).toBe(words);
  });
});

it('the assets of the last build stay however long ago it was, and those replaced before go', async () => {
  const folder = await temporaryFolder();
  const assets = join(folder, 'assets');
  const longAgo = new Date(Date.now() - 100 * day);
  await mkdir(assets);
  await mkdir(join(folder, '.vite'));
  for (const name of ['last.js', 'last.js.br', 'last.css', 'last.json', 'replaced.js']) {
    await writeFile(join(assets, name), '');
    await utimes(join(assets, name), longAgo, longAgo);
  }
  await writeFile(join(assets, 'new.js'), '');
  const chunk = { file: 'assets/last.js', css: ['assets/last.css'], assets: ['assets/last.json'] };
  await writeFile(join(folder, '.vite/manifest.json'), JSON.stringify({ 'index.html': chunk }));

  markAsPresent(folder);
  removeOld(assets, Date.now() - 30 * day);

  expect((await readdir(assets)).sort()).toEqual(['last.css', 'last.js', 'last.js.br', 'last.json', 'new.js']);
});

it('says of a county whose records have no shapes that there are none, not that they cover no area', () => {
  expect([0, 0.033].map(formatArea)).toEqual(['no shapes', '3.3%']);
});
