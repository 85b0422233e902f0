import type { StatementRunner } from './statement-runner.js';

/** Outside our control: hosts that hide these functions answer with one of these codes. */
const hidden = ['42501', '42883', '0A000'];

const here = `(select system_identifier::text from pg_control_system()) as cluster, left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline`;
const hiddenHere = 'null::text as cluster, null::text as timeline';

/**
 * Whether this is the database that servers used before. A restored dump has another cluster or oid. A recovered backup has another timeline,
 * and no server has seen it for longer than a failover takes. The row moves on with each look, so that a failover is no copy.
 */
export const isAtHome = (db: StatementRunner): Promise<boolean> =>
  look(
    db,
    `
  h.cluster is not distinct from excluded.cluster and h.database_oid = excluded.database_oid
  and case when h.timeline is not distinct from excluded.timeline then h.seen_at < excluded.seen_at - interval '1 minute'
           else h.seen_at > excluded.seen_at - interval '15 minutes' end`,
  );

/** From now on this is the real database. */
export const makeHome = (db: StatementRunner): Promise<boolean> => look(db, 'true');

/** From now on this is a copy, until `makeHome`. */
export async function leaveHome(db: StatementRunner): Promise<void> {
  await isAtHome(db);
  await db.query('update database_home set database_oid = 0');
}

async function look(db: StatementRunner, moves: string): Promise<boolean> {
  const run = async (where: string) =>
    (await db.query(
      `with here as (select ${where}, oid::bigint as database_oid from pg_database where datname = current_database()),
            moved as (
              insert into database_home as h (cluster, database_oid, timeline) select cluster, database_oid, timeline from here
              on conflict (id) do update
                set cluster = excluded.cluster, database_oid = excluded.database_oid, timeline = excluded.timeline, seen_at = excluded.seen_at
                where ${moves}
              returning true)
       select exists (select from moved)
           or exists (select from database_home h join here
                        on (h.cluster, h.database_oid, h.timeline) is not distinct from (here.cluster, here.database_oid, here.timeline)) as "isHome"`,
    )) as { rows: { isHome: boolean }[] };
  const { rows } = await run(here).catch((error: { code?: string }) => {
    if (!hidden.includes(error.code ?? '')) throw error;
    return run(hiddenHere);
  });
  return rows[0]!.isHome;
}
