import type { ClientBase, Pool } from 'pg';
import { AppError } from '../../core/errors.js';
import type { ReleaseReport } from './release-report.js';

/** A separately loaded part of a county (a town) within a release. Its records begin at `first`. */
export interface ReleasePart {
  name: string;
  /** The release whose load brought the records. They still name it; its source, date and report apply to them. */
  loadedBy: number;
  first: number;
  records: number;
}

/** A county's current release, which a load is about to replace. */
export interface CurrentRelease {
  id: number;
  isSample: boolean;
  records: number;
  /** Null: the county was loaded as a whole. */
  parts: ReleasePart[] | null;
  /** The reports of the loads that brought its records, by release id. */
  reports: Map<number, ReleaseReport | null>;
}

/**
 * Reads the current release and locks it against replacement until the transaction ends.
 * @param releaseId the release that will replace it
 * @throws AppError conflict if the county was withdrawn since that release's load began
 */
export async function lockCurrent(db: ClientBase, fips: string, releaseId: number): Promise<CurrentRelease | undefined> {
  const { rows } = await db.query<{ isWithdrawn: boolean | null }>(
    `select c.withdrawn_at > r.started_at as "isWithdrawn" from county c, parcel_release r where c.fips = $1 and r.id = $2
        for no key update of c`,
    [fips, releaseId],
  );
  if (rows[0]?.isWithdrawn) {
    throw new AppError('conflict', 'The county was withdrawn during the load, so nothing was published. To offer it, load it again.');
  }
  return readCurrent(db, fips);
}

export async function readCurrent(db: ClientBase | Pool, fips: string): Promise<CurrentRelease | undefined> {
  const { rows } = await db.query<Omit<CurrentRelease, 'reports'>>(
    `select r.id, r.is_sample as "isSample", r.loaded_count as records, r.parts
       from county c join parcel_release r on r.id = c.current_release_id
      where c.fips = $1`,
    [fips],
  );
  const [current] = rows;
  if (!current) return undefined;
  const loads = current.parts?.map(({ loadedBy }) => loadedBy) ?? [current.id];
  const reports = await db.query<{ id: number; report: ReleaseReport | null }>(
    'select id, report from parcel_release where id = any($1::integer[])',
    [loads],
  );
  return { ...current, reports: new Map(reports.rows.map(({ id, report }) => [id, report])) };
}

/** Consecutive records of a release. */
export interface RecordRun {
  releaseId: number;
  first: number;
  records: number;
  /** From their reports; null: unknown. */
  filled: ReleaseReport['filled'] | null;
  beyondReason: ReleaseReport['beyondReason'];
  spread: ReleaseReport['spread'] | null;
}

/**
 * The records that a load of a part, or of the whole county, replaces; null: none. If the county was loaded as a whole, its records do not
 * tell their part, so all are replaced.
 */
export function replacedRecords(part: string | null, current: CurrentRelease | undefined): RecordRun | null {
  if (current === undefined || current.isSample) return null;
  const { id, parts, records, reports } = current;
  const all = parts ?? [{ name: null, loadedBy: id, first: 1, records }];
  const replaced = part === null || parts === null ? all : all.filter(({ name }) => name === part);
  if (replaced.length === 0) return null;
  const reportsOf = replaced.map(({ loadedBy }) => reports.get(loadedBy) ?? null);
  return {
    releaseId: id,
    first: replaced[0]!.first,
    records: replaced.reduce((sum, each) => sum + each.records, 0),
    filled: sumCounts(reportsOf.map((report) => report?.filled ?? null)),
    beyondReason: sumCounts(reportsOf.map((report) => report?.beyondReason ?? {}))!,
    spread: together(reportsOf.map((report) => report?.spread ?? null)),
  };
}

/** Sums the spreads of parts, which do not overlap. */
function together(spreads: (ReleaseReport['spread'] | null)[]): ReleaseReport['spread'] | null {
  const filled = sumCounts(spreads.map((spread) => spread && { filled: spread.filled }))?.filled;
  return filled === undefined ? null : { ...spreads[0]!, filled };
}

/** Sums counts by field over several loads; null if those of one are unknown. */
export function sumCounts<Counts extends Partial<Record<string, number>>>(counts: (Counts | null)[]): Counts | null {
  const sum: Partial<Record<string, number>> = {};
  for (const each of counts) {
    if (each === null) return null;
    for (const [field, count] of Object.entries(each)) sum[field] = (sum[field] ?? 0) + count!;
  }
  return sum as Counts;
}
