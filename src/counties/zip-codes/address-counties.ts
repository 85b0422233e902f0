import { readFileSync } from 'node:fs';
import { projectFile } from '../../core/project-files.js';

/** `build-addresses.ts` makes both files and names their sources. */
export const zipsFile = projectFile('src/counties/zip-codes/zip-counties.bin');
export const placesFile = projectFile('src/counties/zip-codes/city-counties.txt');

const countiesAtMost = 4096;

/** A ZIP code and the index of a county that it touches, as one number. Sorted, a ZIP code's entries are adjacent. */
export const zipEntry = (zip: number, countyIndex: number): number => zip * countiesAtMost + countyIndex;

/** Stands for any ZIP code, in entries of counties whose ZIP codes the source does not know completely. */
export const anyZip = 100_000;

/** The indexes of the counties that ZIP codes touch. */
export class ZipCounties {
  private readonly entries: Uint32Array;

  constructor() {
    const bytes = readFileSync(zipsFile);
    this.entries = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  }

  /** Empty for an unknown ZIP code. */
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

/** The counties of each city of a state, by the city's plain name. */
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

/** The counties of all cities of a name, in any state. @param city in the form of `plainCity` */
export function countiesOfCityName(city: string): string[] {
  cityLines ??= readFileSync(placesFile, 'utf8');
  const lines = cityLines.matchAll(new RegExp(`^(\\d\\d)${city}:(.*)$`, 'gm'));
  return [...lines].flatMap(([, state, counties]) => counties!.split(' ').map((county) => `${state}${county}`));
}

let cityLines: string | undefined;

/** One form for all spellings of a city's name: `St. Louis`, `SAINT LOUIS`, `City of St Louis`. */
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
