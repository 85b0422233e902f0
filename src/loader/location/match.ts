/** What a row's place or address says of the county that is loaded. */
export type Verdict =
  | { is: 'here' }
  | { is: 'unknown' }
  /** Outside of the outline, but too near to be rejected for that. */
  | { is: 'beside'; county: string | null }
  /** By a city's name alone, likely of another county. */
  | { is: 'likely'; county: string }
  | Elsewhere;

/** Why a row is rejected. */
export interface Elsewhere {
  is: 'elsewhere';
  /** The county that it is of, such as `Kings County, NY (36047)`, if any. */
  county: string | null;
  /** The same for all rows that lie in the same county. */
  reason: string;
  /** What more there is to say of this row: where it lies, and how far away. */
  detail: string;
}

export const here: Verdict = { is: 'here' };
export const unknown: Verdict = { is: 'unknown' };
