import type { ClientConfig } from 'pg';

/** What every session has: days and months of UTC, whatever time zone the database has by default. Days of others have 23 hours or 25. */
export const session: ClientConfig = { options: '-c TimeZone=UTC' };
