import type { Mapping } from '../columns/fields.js';
import { type MatchMode, matchModeOf } from '../location/match-tally.js';
import type { LoadOptions } from '../plan/load-options.js';
import type { LoadPlan } from '../plan/plan-load.js';
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

export function buildPlanOf(facts: ReleaseFacts, { mapping, columns, sources }: LoadPlan, options: LoadOptions): BuildPlan {
  return {
    facts,
    mapping,
    columns,
    systems: sources.map(({ crs: { origin, srid } }) => ({ origin, srid })),
    where: options.where,
    matchMode: matchModeOf(options),
    keepsAttributes: options.attributes !== false,
  };
}
