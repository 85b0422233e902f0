import { type CountyOutline, CountyOutlines } from '../../counties/outlines/county-outlines.js';
import { type Ring, unitsPerDegree } from '../formats/shapes/ring.js';
import type { Place } from '../records/geometry/geometry.js';
import { AddressJudge, type Situs } from './address-matcher.js';
import { type Elsewhere, here, type Verdict } from './match.js';

/**
 * How far outside of its county's outline a parcel may lie. Assessors don't draw the border where the Census does: those that the Census
 * itself corrected between 2010 and 2016 are moved by up to 54 metres at 99 of 100 places on land, and by up to 390 at 999 of 1,000.
 */
const toleranceMetres = 500;

/** How far from an outline that ends at the shore an island may lie. Middleton Island in Alaska is 78 kilometres off. */
const offShoreMetres = 100_000;

/** How far a shape may reach beyond its county's box: an estate may lie on both sides of a border, a stray corner lies farther away. */
const reachMetres = 10_000;

/** Says of places and addresses whether they are in a county. */
export class PlaceJudge {
  private addresses: AddressJudge | undefined;

  private constructor(
    private readonly outlines: CountyOutlines,
    readonly county: CountyOutline,
  ) {}

  static async open(fips: string): Promise<PlaceJudge> {
    const outlines = await CountyOutlines.open();
    return new PlaceJudge(outlines, outlines.of(fips));
  }

  verdictOn(place: Place): Verdict {
    const { longitude, latitude } = place;
    const { outline } = this.county;
    if (outline.holds(longitude, latitude) || this.isPartlyWithin(place)) return this.strayCorner(place) ?? here;
    const county = this.outlines.holding(longitude, latitude)?.label ?? null;
    const metres = outline.metresTo(longitude, latitude);
    if (this.isBeside(metres, county)) return this.strayCorner(place) ?? { is: 'beside', county };
    return {
      is: 'elsewhere',
      county,
      reason: `Lies in ${county ?? 'no county'}, outside of ${this.county.label}`,
      detail: describe(longitude, latitude, metres),
    };
  }

  /** The files about addresses are read when the first is asked for. */
  verdictOnAddress(situs: Situs): Verdict {
    this.addresses ??= new AddressJudge(this.outlines, this.county.fips);
    return this.addresses.verdictOn(situs);
  }

  private isBeside(metres: number, otherCounty: string | null): boolean {
    const { errorMetres, endsAtShore } = this.county;
    return metres <= toleranceMetres + errorMetres || (endsAtShore && otherCounty === null && metres <= offShoreMetres);
  }

  private isPartlyWithin({ polygons }: Place): boolean {
    const { outline } = this.county;
    for (const { rings } of polygons) {
      const outer = rings[0]!;
      for (let i = 0; i < outer.length; i += 2) if (outline.holds(outer[i]! / unitsPerDegree, outer[i + 1]! / unitsPerDegree)) return true;
    }
    return false;
  }

  /** A shape of which a corner is far away, such as at 0, 0. Asked of every row, so it looks at the shape's box first. */
  private strayCorner({ polygons }: Place): Elsewhere | null {
    for (const { rings } of polygons) {
      const outer = rings[0]!;
      let [west, south] = outer as [number, number];
      let [east, north] = [west, south];
      for (let i = 2; i < outer.length; i += 2) {
        const x = outer[i]!;
        const y = outer[i + 1]!;
        if (x < west) west = x;
        else if (x > east) east = x;
        if (y < south) south = y;
        else if (y > north) north = y;
      }
      const elsewhere = this.isAway(west, south) || this.isAway(east, north) ? this.cornerAway(outer) : null;
      if (elsewhere) return elsewhere;
    }
    return null;
  }

  private isAway(x: number, y: number): boolean {
    return this.county.outline.metresOutOfBox(x / unitsPerDegree, y / unitsPerDegree) > reachMetres;
  }

  private cornerAway(ring: Ring): Elsewhere | null {
    const { label, outline } = this.county;
    for (let i = 0; i < ring.length; i += 2) {
      if (!this.isAway(ring[i]!, ring[i + 1]!)) continue;
      const [longitude, latitude] = [ring[i]! / unitsPerDegree, ring[i + 1]! / unitsPerDegree];
      const detail = describe(longitude, latitude, outline.metresOutOfBox(longitude, latitude));
      return { is: 'elsewhere', county: null, reason: `Its shape has a corner far outside of ${label}`, detail };
    }
    return null;
  }
}

function describe(longitude: number, latitude: number, metresAway: number): string {
  return `at ${longitude.toFixed(5)}, ${latitude.toFixed(5)}, ${(metresAway / 1000).toFixed(1)} km away`;
}
