import { type CountyName, findPlaces, type Place } from '../../src/console/map/find-places.js';

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
