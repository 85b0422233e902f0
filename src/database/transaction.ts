import type { Pool, PoolClient } from 'pg';
import { isUnreachableDatabase } from '../errors.js';

/** Runs the work in one transaction on one connection of the pool: all of it is committed, or none. */
export async function inTransaction<T>(pool: Pool, work: (tx: PoolClient) => Promise<T>): Promise<T> {
  const tx = await pool.connect();
  let isBroken = false;
  try {
    await tx.query('begin');
    const result = await work(tx);
    await tx.query('commit');
    return result;
  } catch (error) {
    // The error of the work is thrown, not one of the rollback. A connection that no longer answers, or can't roll back, is closed
    // instead of being returned to the pool; Postgres then rolls back by itself.
    isBroken =
      isUnreachableDatabase(error) ||
      (await tx.query('rollback').then(
        () => false,
        () => true,
      ));
    throw error;
  } finally {
    tx.release(isBroken);
  }
}
