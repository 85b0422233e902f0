import { AppError, refusal } from '../../core/errors.js';
import type { Outline } from '../../counties/outlines/outline.js';
import type { MappableField } from '../columns/fields.js';
import { shownColumns } from '../columns/map-options.js';
import type { MatchTally } from '../location/match-tally.js';
import type { LoadOptions } from '../plan/load-options.js';
import type { LoadPlan } from '../plan/plan-load.js';
import { positionsOf } from '../plan/resolve-crs.js';
import { fittingSystems } from '../records/geometry/fitting-systems.js';

interface TriedPlan {
  plan: LoadPlan;
  options: LoadOptions;
  /** The county check of the sampled rows. */
  sampled: { matches: MatchTally };
}

/** @throws AppError when the sampled rows are not of the county, or not of parcels */
export function refusePlan({ plan, options, sampled: { matches } }: TriedPlan): void {
  matches.refuseOtherCounty(options.maxRejectsPercent, fittingSystemsOf(plan, matches.outline));
  refuseNameless(plan);
}

/** Names a coordinate system in which the file's rows would lie in the county, as a sentence; computed only for a refusal. */
export const fittingSystemsOf =
  ({ sources, mapping }: LoadPlan, county: Outline) =>
  (): string =>
    fittingSystems(
      sources.flatMap(({ sample }) => positionsOf(sample, mapping)),
      county,
    );

const naming: MappableField[] = ['apn', 'situs_address', 'owner_name', 'legal_description'];

/** Coordinates and amounts alone don't say which parcel a record is about. */
function refuseNameless({ mapping, columns }: LoadPlan): void {
  if (naming.some((field) => mapping[field])) return;
  throw refusal(
    `Nothing in the file names a parcel: no column (${shownColumns(columns)}) has ` +
      'parcel numbers, addresses or owners. Set one with --map apn=COLUMN; --force loads the file anyway, and holds it for review.',
  );
}

/** Why a check refuses a load; null if it does not. */
export async function refusalOf(check: () => void | Promise<void>): Promise<string | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
