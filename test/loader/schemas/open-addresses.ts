import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { recognise } from '../../../src/loader/columns/recognise.js';
import { sampleColumns } from '../../../src/loader/columns/sampled-column.js';
import { countyData } from '../../harness/only-with.js';
import { rowsOf } from './read-schemas.js';

const table = join(countyData, 'coverage/openaddresses_counties.csv');

/** A county's layer: which published columns hold the parcel number and the parts of addresses. */
interface CountyRow {
  state: string;
  status: string;
  pid_attribute: string;
  address_conform_json: string;
}

type Source = string | string[] | { field?: string; fields?: string[]; functions?: Source[] } | undefined;
type Role = 'pid' | 'number' | 'street' | 'unit' | 'city' | 'postcode';

const columnsOf = (source: Source): string[] => {
  if (source === undefined || typeof source === 'string') return source ? [source] : [];
  if (Array.isArray(source)) return source;
  return source.fields ?? (source.field ? [source.field] : (source.functions ?? []).flatMap(columnsOf));
};

/** As every layer has them. */
const others = { OBJECTID: 'count', Shape_Area: 'float', LAST_EDIT: 'date', SUBDIV: 'text', GlobalID: 'guid' };

/** For each part, in which share of the counties it was found, and in which another column was taken for it. */
export function measureOpenAddresses(): Record<Role, { right: number; wrong: number }> {
  const counts = new Map<Role, { all: number; right: number; wrong: number }>();
  const count = (role: Role, isRight: boolean, isMapped: boolean) => {
    const of = counts.get(role) ?? { all: 0, right: 0, wrong: 0 };
    counts.set(role, of);
    of.all++;
    if (isRight) of.right++;
    else if (isMapped) of.wrong++;
  };
  for (const county of parse(readFileSync(table), { columns: true }) as CountyRow[]) {
    if (county.status === 'current') judge(county, count);
  }
  const shares = [...counts].map(([role, { all, right, wrong }]) => [role, { right: right / all, wrong: wrong / all }]);
  return Object.fromEntries(shares) as ReturnType<typeof measureOpenAddresses>;
}

function judge(
  { state, pid_attribute: pid, address_conform_json: json }: CountyRow,
  count: (role: Role, isRight: boolean, isMapped: boolean) => void,
): void {
  const conform = (json ? JSON.parse(json) : {}) as Record<string, Source>;
  const [number, street, unit, city, postcode] = ['number', 'street', 'unit', 'city', 'postcode'].map((role) =>
    columnsOf(conform[role]),
  ) as string[][];
  const isWhole = number!.length === 1 && street!.length === 1 && number![0] === street![0];
  const kinds = kindsOf(number!, street!, isWhole);
  const add = (names: string[], kind: string) => {
    for (const name of names) if (!kinds.has(name)) kinds.set(name, kind);
  };
  add(unit!, 'unit');
  add(city!, 'city');
  add(columnsOf(conform.region), 'instate');
  add(columnsOf(conform.district), 'text');
  add(postcode!, 'situs_zip');
  if (pid) kinds.set(pid, 'apn');

  const columns = [...kinds].map(([name, kind]) => ({ name, kind, fields: [], isAlternative: false }));
  const { mapping } = recognise(sampleColumns(rowsOf({ name: '', state, columns })), { state });
  const address = mapping.situs_address?.columns ?? [];
  if (pid) count('pid', mapping.apn?.columns.join() === pid, mapping.apn !== undefined);
  if (number!.length > 0 && street!.length > 0) {
    count(
      'number',
      number!.some((name) => address.includes(name)),
      address.length > 0,
    );
    count(
      'street',
      street!.some((name) => /street|situs/.test(kinds.get(name)!) && address.includes(name)),
      address.length > 0,
    );
    if (unit!.length > 0 && !isWhole)
      count(
        'unit',
        unit!.some((name) => address.includes(name)),
        false,
      );
  }
  const isApart = (names: string[]) => names.length === 1 && names[0] !== number![0];
  if (isApart(city!)) count('city', mapping.situs_city?.columns[0] === city![0], mapping.situs_city !== undefined);
  if (isApart(postcode!)) count('postcode', mapping.situs_zip?.columns[0] === postcode![0], mapping.situs_zip !== undefined);
}

/** The kind of values in the columns of house number and street, as far as their names and places tell. */
function kindsOf(number: string[], street: string[], isWhole: boolean): Map<string, string> {
  const kinds = new Map<string, string>(Object.entries(others));
  if (isWhole) return kinds.set(number[0]!, 'situs_address');
  const isNumber = (name: string) => number.length === 1 || /num|no$|house|addr/i.test(name);
  for (const name of number) kinds.set(name, isNumber(name) ? 'number' : 'blank');
  if (number.length > 0 && !number.some(isNumber)) kinds.set(number[0]!, 'number');
  const streets = street.filter((name) => !number.includes(name));
  for (const name of streets) kinds.set(name, streets.length === 1 ? 'fullstreet' : streetKind(name));
  if (streets.length > 1 && !streets.some((name) => kinds.get(name) === 'street')) kinds.set(streets[(streets.length - 1) >> 1]!, 'street');
  return kinds;
}

function streetKind(name: string): string {
  if (/dir|pre$|^pre|pd$|sd$|prd|pod/i.test(name) && !/ty/i.test(name)) return 'direction';
  return /typ|suf|sfx|sts/i.test(name) ? 'streettype' : 'street';
}
