import { type CountyOutline, CountyOutlines } from '../../counties/outlines/county-outlines.js';
import { boxOf, type Ring, unitsPerDegree } from '../formats/shapes/ring.js';
import type { ParcelLocation } from '../records/geometry/geometry.js';
import { AddressMatcher, type Situs } from './address-matcher.js';
import { type CountyMatch, here, type OutsideMatch } from './match.js';

/**
 * How far outside of its county's outline a parcel may lie. Assessors and the Census draw borders differently: where the Census corrected
 * a border between 2010 and 2016, it moved by up to 54 metres in 99 of 100 places on land, and by up to 390 in 999 of 1,000.
 */
const toleranceMetres = 500;

/** How far an island may lie from an outline that ends at the shore. Middleton Island in Alaska is 78 kilometres away. */
const offShoreMetres = 100_000;

/** How far a shape may extend beyond its county's box. An estate may lie on both sides of a border; a stray corner is farther away. */
const reachMetres = 10_000;

/** Decides whether coordinates and addresses are in a county. */
export class CountyMatcher {
  private addresses: AddressMatcher | undefined;

  private constructor(
    readonly outlines: CountyOutlines,
    readonly county: CountyOutline,
  ) {}

  static async open(fips: string): Promise<CountyMatcher> {
    const outlines = await CountyOutlines.open();
    return new CountyMatcher(outlines, outlines.of(fips));
  }

  match(location: ParcelLocation): CountyMatch {
    const { longitude, latitude } = location;
    const { outline } = this.county;
    if (outline.holds(longitude, latitude) || this.isPartlyWithin(location)) return this.strayCorner(location) ?? here;
    const county = this.outlines.holding(longitude, latitude)?.label ?? null;
    const metres = outline.metresTo(longitude, latitude);
    if (this.isBeside(metres, county)) return this.strayCorner(location) ?? { is: 'beside', county };
    return {
      is: 'elsewhere',
      county,
      reason: `Lies in ${county ?? 'no county'}, outside of ${this.county.label}`,
      detail: describe(longitude, latitude, metres),
      isByZip: false,
    };
  }

  /** The address files are read on the first call. */
  matchAddress(situs: Situs): CountyMatch {
    this.addresses ??= new AddressMatcher(this.outlines, this.county.fips);
    return this.addresses.match(situs);
  }

  private isBeside(metres: number, otherCounty: string | null): boolean {
    const { errorMetres, endsAtShore } = this.county;
    return metres <= toleranceMetres + errorMetres || (endsAtShore && otherCounty === null && metres <= offShoreMetres);
  }

  private isPartlyWithin({ polygons }: ParcelLocation): boolean {
    const { outline } = this.county;
    for (const { rings } of polygons) {
      const outer = rings[0]!;
      for (let i = 0; i < outer.length; i += 2) if (outline.holds(outer[i]! / unitsPerDegree, outer[i + 1]! / unitsPerDegree)) return true;
    }
    return false;
  }

  /** Finds a corner that is far away, such as at 0, 0. Called for every row, so it compares the shape's box first. */
  private strayCorner({ polygons }: ParcelLocation): OutsideMatch | null {
    for (const { rings } of polygons) {
      const outer = rings[0]!;
      const [west, south, east, north] = boxOf(outer);
      const elsewhere = this.isAway(west, south) || this.isAway(east, north) ? this.cornerAway(outer) : null;
      if (elsewhere) return elsewhere;
    }
    return null;
  }

  private isAway(x: number, y: number): boolean {
    return this.county.outline.metresOutOfBox(x / unitsPerDegree, y / unitsPerDegree) > reachMetres;
  }

  private cornerAway(ring: Ring): OutsideMatch | null {
    const { label, outline } = this.county;
    for (let i = 0; i < ring.length; i += 2) {
      if (!this.isAway(ring[i]!, ring[i + 1]!)) continue;
      const [longitude, latitude] = [ring[i]! / unitsPerDegree, ring[i + 1]! / unitsPerDegree];
      const detail = describe(longitude, latitude, outline.metresOutOfBox(longitude, latitude));
      return { is: 'elsewhere', county: null, reason: `Its shape has a corner far outside of ${label}`, detail, isByZip: false };
    }
    return null;
  }
}

function describe(longitude: number, latitude: number, metresAway: number): string {
  return `at ${longitude.toFixed(5)}, ${latitude.toFixed(5)}, ${(metresAway / 1000).toFixed(1)} km away`;
}
