import { isDeepStrictEqual } from 'node:util';
import type { ClientBase, Pool } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { AppError } from '../../core/errors.js';
import { commandLine, recordAction } from '../../operator-log/record-action.js';
import { countyLock } from '../../releases/lifecycle/county-lock.js';
import { type PlannedLoad, type Profile, type ProfileVersion, profileOf } from './profile.js';
import type { ProfileChanges } from './profile-changes.js';

/** A version with what is known about it. */
export interface StoredProfile extends ProfileVersion {
  countyFips: string;
  /** Null: the county as a whole. */
  part: string | null;
  releaseId: number | null;
  createdBy: string;
  createdAt: Date;
  /** Whether the next load uses it. */
  isInUse: boolean;
}

/** In SQL, of a `county_profile p`: a proposal counts once its release was published or was found unchanged, an import at once. */
export const usableProfile = `(p.release_id is null or exists (select from parcel_release r where r.id = p.release_id and (r.published_at is not null or r.state = 'unchanged')))`;

interface ProfileUse {
  profile?: boolean;
  isSample?: boolean;
  known?: ProfileVersion;
}

/** The profile that the next load of a county or of a part uses, or null: none if it is told so, or if its records are invented. */
export async function findProfile(
  db: ClientBase | Pool,
  fips: string,
  part: string | null,
  { profile = true, isSample = false }: ProfileUse = {},
): Promise<ProfileVersion | null> {
  if (!profile || isSample) return null;
  const { rows } = await db.query<ProfileVersion>(
    `select version, body from county_profile p where county_fips = $1 and part = $2 and ${usableProfile} order by version desc limit 1`,
    [fips, part ?? ''],
  );
  return rows[0] ?? null;
}

/** @throws AppError if the profile that a load was planned with is no longer in use. Must run with the county locked. */
export async function refuseChangedProfile(db: ClientBase, fips: string, part: string | null, options: ProfileUse): Promise<void> {
  const now = await findProfile(db, fips, part, options);
  if (now?.version !== options.known?.version)
    throw new AppError('conflict', 'The profile of the county changed in the meantime. Load again.');
}

/** All versions of a county's profiles, by part, the newest first. */
export async function listProfiles(db: DataSource | EntityManager, fips: string): Promise<StoredProfile[]> {
  return db.query(
    `select county_fips as "countyFips", nullif(part, '') as part, version, body, release_id as "releaseId", created_by as "createdBy",
            created_at as "createdAt",
            version is not distinct from max(version) filter (where ${usableProfile}) over (partition by part) as "isInUse"
       from county_profile p where county_fips = $1 order by p.part, version desc`,
    [fips],
  );
}

const insertVersion = `insert into county_profile (county_fips, part, version, body, release_id, created_by)
 select $1::char(5), $2::text, coalesce(max(version), 0) + 1, $3::jsonb, $4::integer, $5::text from county_profile where county_fips = $1 and part = $2
 returning version`;

interface LoadedRelease {
  fips: string;
  part: string | null;
  releaseId: number;
}

interface LoadFacts extends ProfileUse {
  startedBy?: string;
}

/**
 * Names the profile that a release was made with. A load that was told something else than its profile, or that found the source changed,
 * proposes a version of its own. Must run in the transaction of the load, with the county locked.
 */
export async function keepProfile(
  db: ClientBase,
  { fips, part, releaseId }: LoadedRelease,
  plan: PlannedLoad & { changes: ProfileChanges },
  options: LoadFacts & Parameters<typeof profileOf>[1],
): Promise<void> {
  if (options.isSample) return;
  const { known, startedBy = commandLine } = options;
  const profile = profileOf(plan, options);
  const hasChanged = plan.changes.warnings.length > 0 || plan.changes.findings.length > 0;
  const isAsBefore = known && !hasChanged && isDeepStrictEqual(decisionsOf(known.body), decisionsOf(profile));
  const added = isAsBefore
    ? []
    : (await db.query<{ version: number }>(insertVersion, [fips, part ?? '', JSON.stringify(profile), releaseId, startedBy])).rows;
  await db.query('update parcel_release set profile_version = $2 where id = $1', [releaseId, added[0]?.version ?? known!.version]);
}

// As Postgres gives it back: without what is undefined.
const decisionsOf = ({ seen, ...decisions }: Profile): object => JSON.parse(JSON.stringify(decisions));

interface ImportedProfile {
  fips: string;
  part: string | null;
  profile: Profile;
  /** An account's id, or `commandLine`. */
  actor: string;
}

/** Adds a version that an operator brings; the next load uses it. @throws AppError for an unknown county, or while a load of it runs */
export function importProfile(dataSource: DataSource, { fips, part, profile, actor }: ImportedProfile): Promise<StoredProfile> {
  return dataSource.transaction(async (manager) => {
    const [county] = await manager.query('select fips from county where fips = $1', [fips]);
    if (!county) throw new AppError('not_found', `There is no county with the FIPS code ${fips}.`);
    const [{ locked }] = await manager.query('select pg_try_advisory_xact_lock($1, $2) as locked', [countyLock, Number(fips)]);
    if (!locked) throw new AppError('conflict', `A load of ${fips} is running. Wait for it to end.`);
    const [{ version }] = await manager.query(insertVersion, [fips, part ?? '', JSON.stringify(profile), null, actor]);
    const after = { part, version, map: profile.map };
    await recordAction(manager, { actor, action: 'import county profile', target: fips, reason: null, after });
    return (await listProfiles(manager, fips)).find((stored) => stored.part === part && stored.version === version)!;
  });
}

/** The version of a county or a part: a given one, or the one in use. @throws AppError not_found */
export async function requireProfile(
  dataSource: DataSource,
  fips: string,
  part: string | null,
  version: number | undefined,
): Promise<StoredProfile> {
  const all = await listProfiles(dataSource, fips);
  const found = all.find((stored) => stored.part === part && (version === undefined ? stored.isInUse : stored.version === version));
  if (found) return found;
  const parts = [...new Set(all.flatMap((stored) => stored.part ?? []))];
  throw new AppError(
    'not_found',
    `There is no ${version === undefined ? 'profile' : `profile ${version}`} of ${fips}${part === null ? '' : `, ${part}`}.` +
      (parts.length > 0 ? ` Its parts with a profile: ${parts.join(', ')}.` : ''),
  );
}
