import type { Client, ClientBase } from 'pg';
import type { Database } from '../../database/database.js';
import { loadLimits } from '../../database/limits.js';
import { ServiceClient } from '../../database/service-client.js';
import { withSessionSettings } from '../../database/session-settings.js';

/** A connection outside of the pools: a load takes longer than their time limits, and the connection holds the county's lock. */
export async function connectForLoad({ url }: Pick<Database, 'url'>): Promise<Client> {
  const client = new ServiceClient({ connectionString: withSessionSettings(url), application_name: 'parcel-records load', ...loadLimits });
  // Without a listener, a broken connection would end the process. The next statement fails anyway.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** The rows of a query in batches, so that they need not fit in memory. Needs a transaction; only one cursor at a time. */
export async function* cursorRows<Row extends object>(
  db: ClientBase,
  query: string,
  values: unknown[] = [],
  fetchedAtOnce = recordsAtOnce,
): AsyncIterable<Row[]> {
  await db.query(`declare loaded no scroll cursor for ${query}`, values);
  for (;;) {
    const { rows } = await db.query<Row>(`fetch ${fetchedAtOnce} from loaded`);
    if (rows.length === 0) break;
    yield rows;
  }
  await db.query('close loaded');
}

// A record with a long boundary takes some hundred kilobytes.
const recordsAtOnce = 256;
