import { LRUCache } from 'lru-cache';
import type { CountyOutlines } from '../../counties/outlines/county-outlines.js';
import { anyZip, citiesOf, plainCity, ZipCounties } from '../../counties/zip-codes/address-counties.js';
import { type Elsewhere, here, unknown, type Verdict } from './match.js';

/** Where a parcel stands by its address. */
export interface Situs {
  zip: string | null;
  city: string | null;
}

const keptVerdicts = 5000;

/** Judges rows that have no place. A ZIP code that is known to touch other counties only is of none of this county's parcels. */
export class AddressJudge {
  private readonly zips = new ZipCounties();
  private readonly cities: Map<string, string[]>;
  private readonly verdicts = new LRUCache<string, Verdict>({ max: keptVerdicts });
  private readonly knowsAllZips: boolean;

  constructor(
    private readonly outlines: CountyOutlines,
    private readonly fips: string,
  ) {
    this.cities = citiesOf(fips.slice(0, 2));
    this.knowsAllZips = !this.countiesOf(anyZip).includes(fips);
  }

  verdictOn({ zip, city }: Situs): Verdict {
    const key = `${zip} ${city}`;
    const known = this.verdicts.get(key);
    if (known) return known;
    const verdict = this.judge(zip?.slice(0, 5) ?? '', city);
    this.verdicts.set(key, verdict);
    return verdict;
  }

  private judge(zip: string, city: string | null): Verdict {
    const ofZip = this.knowsAllZips && /^\d{5}$/.test(zip) ? this.countiesOf(Number(zip)) : [];
    const ofCity = (city && this.cities.get(plainCity(city))) || [];
    if (ofZip.includes(this.fips)) return here;
    if (ofCity.includes(this.fips)) return ofZip.length > 0 ? unknown : here;
    if (ofZip.length > 0) return this.ofAnotherZip(zip, ofZip);
    // Townships of many counties share a name with a city of one, so a city alone is no reason to reject a row.
    return ofCity.length > 0 ? { is: 'likely', county: this.outlines.of(ofCity[0]!).label } : unknown;
  }

  private ofAnotherZip(zip: string, counties: string[]): Elsewhere {
    const county = counties.map((fips) => this.outlines.of(fips).label).join(' or ');
    const reason = `Its ZIP code is of ${county}, not of ${this.outlines.of(this.fips).label}`;
    return { is: 'elsewhere', county, reason, detail: `ZIP code ${zip}` };
  }

  private countiesOf(zip: number): string[] {
    const { fipsCodes } = this.outlines;
    return this.zips.of(zip).map((index) => fipsCodes[index]!);
  }
}
