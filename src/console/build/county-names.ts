import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

const source = new URL('../../counties/county-catalogue.csv', import.meta.url);

/** FIPS code, name and state of every county that the service knows. */
export function countyNames(): string {
  const rows: { fips: string; name: string; state: string }[] = parse(readFileSync(source), { columns: true });
  return JSON.stringify(rows.map(({ fips, name, state }) => [fips, name, state]));
}
