import { readFileSync } from 'node:fs';
import { projectFile } from '../../core/project-files.js';

/** Both are made by `build-addresses.ts`, which says from what. */
export const zipsFile = projectFile('src/counties/zip-codes/zip-counties.bin');
export const placesFile = projectFile('src/counties/zip-codes/city-counties.txt');

const countiesAtMost = 4096;

/** A ZIP code and the index of a county that it touches, as one number: sorted, those of a ZIP code stand together. */
export const zipEntry = (zip: number, countyIndex: number): number => zip * countiesAtMost + countyIndex;

/** No ZIP code, but stands for all in entries of counties of which the source doesn't know all. */
export const anyZip = 100_000;

/** The indexes of the counties that ZIP codes touch. */
export class ZipCounties {
  private readonly entries: Uint32Array;

  constructor() {
    const bytes = readFileSync(zipsFile);
    this.entries = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  }

  /** None for a ZIP code that is unknown. */
  of(zip: number): number[] {
    const { entries } = this;
    let low = 0;
    for (let high = entries.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (entries[middle]! < zipEntry(zip, 0)) low = middle + 1;
      else high = middle;
    }
    let end = low;
    while (end < entries.length && entries[end]! < zipEntry(zip + 1, 0)) end++;
    return Array.from(entries.subarray(low, end), (entry) => entry % countiesAtMost);
  }
}

/** The counties of one state that its cities lie in, by the city's plain name. */
export function citiesOf(stateFips: string): Map<string, string[]> {
  const cities = new Map<string, string[]>();
  for (const line of readFileSync(placesFile, 'utf8').split('\n')) {
    if (!line.startsWith(stateFips)) continue;
    const [name, counties] = line.slice(2).split(':') as [string, string];
    const all = [...(cities.get(name) ?? []), ...counties.split(' ').map((county) => stateFips + county)];
    cities.set(name, [...new Set(all)]);
  }
  return cities;
}

/** A city's name however it is written: `St. Louis`, `SAINT LOUIS`, `City of St Louis`. */
export function plainCity(name: string): string {
  return name
    .toUpperCase()
    .normalize('NFD')
    .replace(/[^A-Z ]/g, '')
    .replace(/^(CITY|TOWN|VILLAGE) OF /, '')
    .replace(/^ST /, 'SAINT ')
    .replace(/^MT /, 'MOUNT ')
    .replace(/^FT /, 'FORT ')
    .replace(/ /g, '');
}
