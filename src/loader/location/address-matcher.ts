import { LRUCache } from 'lru-cache';
import type { CountyOutlines } from '../../counties/outlines/county-outlines.js';
import { anyZip, citiesOf, plainCity, ZipCounties } from '../../counties/zip-codes/address-counties.js';
import { type CountyMatch, here, type OutsideMatch, unknown } from './match.js';

/** The parcel's own address. */
export interface Situs {
  zip: string | null;
  city: string | null;
}

const maxCachedMatches = 5000;

/** Matches rows without coordinates. A ZIP code that is known to touch only other counties belongs to none of this county's parcels. */
export class AddressMatcher {
  private readonly zips = new ZipCounties();
  private readonly cities: Map<string, string[]>;
  private readonly matches = new LRUCache<string, CountyMatch>({ max: maxCachedMatches });
  private readonly knowsAllZips: boolean;

  constructor(
    private readonly outlines: CountyOutlines,
    private readonly fips: string,
  ) {
    this.cities = citiesOf(fips.slice(0, 2));
    this.knowsAllZips = !this.countiesOf(anyZip).includes(fips);
  }

  match({ zip, city }: Situs): CountyMatch {
    const key = `${zip} ${city}`;
    const known = this.matches.get(key);
    if (known) return known;
    const match = this.matchUncached(zip?.slice(0, 5) ?? '', city);
    this.matches.set(key, match);
    return match;
  }

  private matchUncached(zip: string, city: string | null): CountyMatch {
    const zipCounties = this.knowsAllZips && /^\d{5}$/.test(zip) ? this.countiesOf(Number(zip)) : [];
    const cityCounties = (city && this.cities.get(plainCity(city))) || [];
    if (zipCounties.includes(this.fips)) return here;
    if (cityCounties.includes(this.fips)) return zipCounties.length > 0 ? unknown : here;
    if (zipCounties.length > 0) return this.otherZip(zip, zipCounties);
    // Townships in many counties share a name with another county's city, so a city alone is no reason to reject a row.
    if (cityCounties.length > 0) return { is: 'likely', county: this.outlines.of(cityCounties[0]!).label };
    return city === null ? unknown : { is: 'unlisted' };
  }

  private otherZip(zip: string, counties: string[]): OutsideMatch {
    const county = counties.map((fips) => this.outlines.of(fips).label).join(' or ');
    const reason = `Its ZIP code is in ${county}, not in ${this.outlines.of(this.fips).label}`;
    return { is: 'elsewhere', county, reason, detail: `ZIP code ${zip}`, isByZip: true };
  }

  private countiesOf(zip: number): string[] {
    const { fipsCodes } = this.outlines;
    return this.zips.of(zip).map((index) => fipsCodes[index]!);
  }
}
