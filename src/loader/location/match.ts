/** How a row's coordinates or address match the county that is loaded. */
export type CountyMatch =
  | { is: 'here' }
  | { is: 'unknown' }
  /** In a city that no county of the state is known to have: a hamlet, or a city of another state. */
  | { is: 'unlisted' }
  /** Outside of the outline, but too near to be rejected. */
  | { is: 'beside'; county: string | null }
  /** Probably in another county, judged by the city's name alone. */
  | { is: 'likely'; county: string }
  | OutsideMatch;

/** In another county: the row is rejected. */
export interface OutsideMatch {
  is: 'elsewhere';
  /** The county it is in, such as `Kings County, NY (36047)`, or null. */
  county: string | null;
  /** The same for all rows in that county. */
  reason: string;
  /** About this row: where it lies and how far away. */
  detail: string;
  /** Whether only its ZIP code says so. */
  isByZip: boolean;
}

export const here: CountyMatch = { is: 'here' };
export const unknown: CountyMatch = { is: 'unknown' };
