import type { ClientBase, Pool } from 'pg';
import { AppError } from '../../errors.js';
import { addUp, type ReleasePart } from '../../parcels/release-part.js';
import type { ReleaseReport } from '../../parcels/release-report.js';

/** A county's current release, as a load finds it when it is about to take its place. */
export interface CurrentRelease {
  id: number;
  isSample: boolean;
  records: number;
  /** Null: the county was loaded as a whole. */
  parts: ReleasePart[] | null;
  /** The reports of the loads by which its records came, by their releases. */
  reports: Map<number, ReleaseReport | null>;
}

/** Records that follow each other in a release. */
export interface RecordRun {
  releaseId: number;
  first: number;
  records: number;
  /** What their reports say of them; null: not known. */
  filled: ReleaseReport['filled'] | null;
  beyondReason: ReleaseReport['beyondReason'];
  spread: ReleaseReport['spread'] | null;
}

/**
 * Reads the current release, and keeps others from taking its place until the transaction ends.
 * @param releaseId the one that is to take it
 * @throws AppError conflict when the county was withdrawn since that one's load began
 */
export async function lockCurrent(db: ClientBase, fips: string, releaseId: number): Promise<CurrentRelease | undefined> {
  const { rows } = await db.query<{ isWithdrawn: boolean | null }>(
    `select c.withdrawn_at > r.started_at as "isWithdrawn" from county c, parcel_release r where c.fips = $1 and r.id = $2
        for no key update of c`,
    [fips, releaseId],
  );
  if (rows[0]?.isWithdrawn) {
    throw new AppError('conflict', 'The county was withdrawn while it was loaded, so nothing was published. Load it again to offer it.');
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

/**
 * The records that a load of a part takes the place of, or a load of the whole county; null: none. Where the county was loaded as a
 * whole, nobody knows which of its records are the part's: they are all replaced.
 */
export function replacedBy(part: string | null, current: CurrentRelease | undefined): RecordRun | null {
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
    filled: addUp(reportsOf.map((report) => report?.filled ?? null)),
    beyondReason: addUp(reportsOf.map((report) => report?.beyondReason ?? {}))!,
    spread: together(reportsOf.map((report) => report?.spread ?? null)),
  };
}

/** Parts of a county lie beside each other. */
function together(spreads: (ReleaseReport['spread'] | null)[]): ReleaseReport['spread'] | null {
  const filled = addUp(spreads.map((spread) => spread && { filled: spread.filled }))?.filled;
  return filled === undefined ? null : { ...spreads[0]!, filled };
}
