import type { ClientConfig } from 'pg';

/**
 * What every session has, whatever the database has by default: days and months of UTC, since days of other zones have 23 hours or 25;
 * times as `pg` reads them; and statements that see what others committed while they waited for a lock.
 */
export const session: ClientConfig = { options: '-c TimeZone=UTC -c DateStyle=ISO,MDY -c default_transaction_isolation=read\\ committed' };
