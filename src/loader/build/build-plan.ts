import type { Mapping } from '../columns/fields.js';
import type { LoadOptions } from '../plan/load-options.js';
import type { LoadPlan } from '../plan/plan-load.js';
import type { CoordinateSystem } from '../records/geometry/crs.js';
import type { ReleaseFacts } from '../records/record.js';

/** All that the rows of a load are built by, in a form that another thread can be given. */
export interface BuildPlan {
  facts: ReleaseFacts;
  mapping: Mapping;
  /** All that the plan knows of. */
  columns: string[];
  /** Of each source. */
  systems: Pick<CoordinateSystem, 'origin' | 'srid'>[];
  where: string[] | undefined;
  /** Whether rows of other counties are kept. */
  isForced: boolean;
  keepsAttributes: boolean;
}

export function buildPlanOf(facts: ReleaseFacts, { mapping, columns, sources }: LoadPlan, options: LoadOptions): BuildPlan {
  return {
    facts,
    mapping,
    columns,
    systems: sources.map(({ crs: { origin, srid } }) => ({ origin, srid })),
    where: options.where,
    isForced: options.force ?? false,
    keepsAttributes: options.attributes !== false,
  };
}
