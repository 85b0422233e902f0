import { Client } from 'pg';
import type { Database } from '../../database/database.js';
import { loadLimits } from '../../database/limits.js';
import { sessionAt } from '../../database/session.js';

/** A connection outside of the pools: a load takes longer than their time limits, and its county's lock is held by the connection. */
export async function connectForLoad({ url }: Pick<Database, 'url'>): Promise<Client> {
  const client = new Client({ connectionString: sessionAt(url), application_name: 'parcel-records load', ...loadLimits });
  // Without a listener a broken connection would end the process. The next statement on it fails in any case.
  client.on('error', () => {});
  await client.connect();
  return client;
}
