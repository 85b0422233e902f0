import type { Mapping } from '../columns/fields.js';
import type { MatchMode } from '../location/match-tally.js';
import type { CoordinateSystem } from '../records/geometry/crs.js';
import type { ReleaseFacts } from '../records/record.js';

/** Everything that building a load's rows needs, in a form that can be sent to another thread. */
export interface BuildPlan {
  facts: ReleaseFacts;
  mapping: Mapping;
  /** All columns that the plan knows. */
  columns: string[];
  /** By source. */
  systems: Pick<CoordinateSystem, 'origin' | 'srid'>[];
  where: string[] | undefined;
  /** What happens to rows of other counties. */
  matchMode: MatchMode;
  keepsAttributes: boolean;
}
