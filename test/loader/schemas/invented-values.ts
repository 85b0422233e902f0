import { states } from '../../../src/counties/states.js';

const pick = <T>(values: readonly T[], row: number, seed: number): T => values[(row * 7 + seed * 13 + ((row * row) % 5)) % values.length]!;

const lastNames = ['ABEL', 'BRANDT', 'CORDERO', 'DAWES', 'ELLERY', 'FOSS', 'GARNER', 'HOLLIS', 'IVERSEN', 'JANKE', 'KESTER'];
const firstNames = ['ANN', 'BERT', 'CLARA', 'DORA', 'EMIL', 'FRED', 'GINA', 'HUGO'];
const streets = ['MAPLE', 'RIVER', 'OAK HILL', 'LINCOLN', 'CHURCH', '3RD', 'QUARRY', 'MEADOW'];
const streetTypes = ['ST', 'RD', 'AVE', 'LN', 'DR'];
const cities = ['ALDERTON', 'BRIAR FALLS', 'CROSBY', 'DUNMORE'];
const farCities = ['ALDERTON', 'BRIAR FALLS', 'PHOENIX', 'DENVER', 'BOISE', 'TULSA', 'AUSTIN', 'ALBANY'];
const farZips = ['85001', '80202', '83702', '74103', '78701', '12207'];
const uses = [
  ['100', 'VACANT LAND'],
  ['511', 'ONE FAMILY HOME'],
  ['520', 'TWO FAMILY HOME'],
  ['640', 'SMALL OFFICE'],
] as const;

const digits = (row: number, seed: number, length: number): string =>
  String(Math.abs(Math.sin(row * 97 + seed * 31 + 1) * 10 ** length) | 0)
    .padStart(length, '1')
    .slice(0, length);
const isNear = (row: number): boolean => row % 3 !== 0;
const localZip = (state: string, row: number): string => `${states[state]![2].slice(-3)}${10 + (row % 4)}`;

/** A value of a kind in a row; each column has its own. */
export function invented(kind: string, row: number, state: string, column: string): unknown {
  const seed = [...column].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 7);
  const make = kinds[kind];
  if (!make) throw new Error(`No values of the kind ${kind} are known.`);
  return make(row, seed, state);
}

const address = (row: number, seed: number): string =>
  `${100 + ((row * 37 + seed) % 900)} ${pick(streets, row, seed)} ${pick(streetTypes, row, seed)}`;
const day = (row: number, seed: number): [number, number, number] => [
  1985 + ((row * 3 + seed) % 38),
  1 + ((row + seed) % 12),
  1 + ((row * 5 + seed) % 28),
];
const two = (number: number): string => String(number).padStart(2, '0');

const kinds: Record<string, (row: number, seed: number, state: string) => unknown> = {
  apn: (row, seed) => `${10 + (seed % 80)}-${digits(row, seed, 3)}-${two(row % 60)}-${digits(row, seed + 1, 3)}`,
  owner_name: (row, seed) => `${pick(lastNames, row, seed)} ${pick(firstNames, row, seed)}${row % 9 === 0 ? ' TRUST' : ''}`,
  owner_name_2: (row, seed) => (row % 2 ? null : `${pick(lastNames, row, seed)} ${pick(firstNames, row + 3, seed)}`),
  first: (row, seed) => pick(firstNames, row, seed),
  last: (row, seed) => pick(lastNames, row, seed),
  person: (row, seed) => (row % 5 ? null : `${pick(lastNames, row, seed)} BANK`),
  mail_address: (row, seed) => (row % 11 === 0 ? `PO BOX ${100 + row}` : address(row, seed)),
  mail_city: (row, seed) => pick(isNear(row) ? cities : farCities, row, seed),
  mail_state: (row, _, state) => (isNear(row) ? state : pick(['AZ', 'CO', 'ID', 'TX', 'NY'], row, 1)),
  mail_zip: (row, _, state) => (isNear(row) ? localZip(state, row) : pick(farZips, row, 2)),
  situs_address: address,
  address,
  situs_city: (row) => pick(cities, row, 3),
  city: (row) => pick(cities, row, 3),
  citycode: (row, seed) => pick(['026', '031', '002', '104'], row, seed),
  citystate: (row, _, state) => `${pick(cities, row, 3)}, ${state}`,
  farcity: (row, seed) => pick(farCities, row, seed),
  situs_zip: (row, _, state) => localZip(state, row),
  farzip: (row, seed) => pick(farZips, row, seed),
  states: (row, seed) => pick(['AZ', 'CO', 'ID', 'TX', 'NY'], row, seed),
  instate: (_row, _seed, state) => state,
  citystatezip: (row, _, state) => `${pick(cities, row, 3)}, ${state} ${localZip(state, row)}`,
  fulladdress: (row, seed, state) => `${address(row, seed)}, ${pick(cities, row, 3)}, ${state} ${localZip(state, row)}`,
  number: (row, seed) => 100 + ((row * 37 + seed) % 900),
  direction: (row, seed) => pick(['N', 'S', null, 'W', null], row, seed),
  street: (row, seed) => pick(streets, row, seed),
  fullstreet: (row, seed) => `${pick(streets, row, seed)} ${pick(streetTypes, row, seed)}`,
  streettype: (row, seed) => pick(streetTypes, row, seed),
  unit: (row) => (row % 4 ? null : String(row)),
  use_code: (row) => pick(uses, row, 1)[0],
  use_description: (row) => pick(uses, row, 1)[1],
  code: (row, seed) => pick(['A1', 'B2', 'C', '07', 'D4'], row, seed),
  text: (row, seed) => pick(['CENTRAL', 'NORTH SIDE', 'OLD TOWN', 'LAKE VIEW'], row, seed),
  zoning: (row, seed) => pick(['R-1', 'R-2', 'C-1', 'AG'], row, seed),
  land_value: (row, seed) => 20_000 + ((row * 1733 + seed * 91) % 90_000),
  improvement_value: (row, seed) => (row % 6 === 0 ? 0 : 60_000 + ((row * 2111 + seed * 77) % 300_000)),
  total_value: (row, seed) => 80_000 + ((row * 3917 + seed * 61) % 400_000),
  money: (row, seed) => 30_000 + ((row * 2777 + seed * 53) % 200_000),
  taxes: (row, seed) => Number((300 + ((row * 173.31 + seed * 7.7) % 5_000)).toFixed(2)),
  tax_amount: (row, seed) => Number((300 + ((row * 173.31 + seed * 7.7) % 5_000)).toFixed(2)),
  tax_year: () => 2023,
  year: (row, seed) => 1930 + ((row * 7 + seed) % 90),
  year_built: (row, seed) => (row % 6 === 0 ? 0 : 1930 + ((row * 7 + seed) % 90)),
  sale_price: (row, seed) => (row % 4 === 0 ? 0 : 90_000 + ((row * 5003 + seed) % 300_000)),
  sale_date: (row, seed) =>
    day(row, seed)
      .map((part) => two(part))
      .join('-'),
  date: (row, seed) =>
    day(row, seed)
      .map((part) => two(part))
      .join('-'),
  date8: (row, seed) =>
    day(row, seed)
      .map((part) => two(part))
      .join(''),
  month: (row, seed) => 1 + ((row + seed) % 12),
  acres: (row, seed) => Number((0.11 + ((row * 0.377 + seed * 0.013) % 9)).toFixed(3)),
  acrestext: (row, seed) => `${(0.11 + ((row * 0.377 + seed * 0.013) % 9)).toFixed(3)} AC`,
  sqft: (row, seed) => 900 + ((row * 977 + seed * 13) % 24_000),
  float: (row, seed) => 1000.123456 + ((row * 9377.77 + seed * 1.3) % 70_000),
  legal_description: (row, seed) => `LOT ${1 + row} BLK ${1 + (seed % 9)} ${pick(streets, row, seed)} ADDITION`,
  latitude: (row) => 38.1 + row / 997,
  longitude: (row) => -101.2 + row / 991,
  metres: (row, seed) => 812_345.12 + row * 31.7 + seed,
  url: (row) => `https://parcels.example/${row}`,
  dimensions: (row) => `${40 + row}X${100 + (row % 7) * 10}`,
  count: (row) => row + 1,
  int: (row, seed) => (row * 3 + seed) % 37,
  longnumber: (row, seed) => `${digits(row, seed, 8)}${digits(row, seed + 5, 4)}`,
  pct: (row, seed) => ((row * 13 + seed) % 100) / 4,
  flag: (row, seed) => pick(['Y', 'N', 'N'], row, seed),
  fips: () => '48001',
  guid: (row, seed) => `{${digits(row, seed, 8)}-0000-4000-8000-${digits(row, seed + 1, 8)}1111}`,
  blank: () => null,
};
