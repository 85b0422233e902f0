import type { ClientBase } from 'pg';
import { AppError } from '../../core/errors.js';

/** The first half of the advisory lock's key, which tells these locks from others; the second half is the county's code. */
export const countyLock = 0x6c6f6164;

/**
 * Lets one load of a county run at a time, on whichever machine. Postgres releases the lock with the connection, so it cannot outlive
 * its load.
 * @throws AppError when another load holds it
 */
export async function lockCounty(db: ClientBase, fips: string): Promise<void> {
  const { rows } = await db.query<{ locked: boolean }>(`select pg_try_advisory_lock($1, $2) as locked`, [countyLock, Number(fips)]);
  if (!rows[0]!.locked) throw new AppError('conflict', `Another load of ${fips} is running. Wait for it to end, or stop it.`);
}
