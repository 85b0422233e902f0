import { Client } from 'pg';
import type { Database } from '../../database/database.js';
import { loadLimits } from '../../database/limits.js';
import { withSessionSettings } from '../../database/session-settings.js';

/** A connection outside of the pools: a load takes longer than their time limits, and the connection holds the county's lock. */
export async function connectForLoad({ url }: Pick<Database, 'url'>): Promise<Client> {
  const client = new Client({ connectionString: withSessionSettings(url), application_name: 'parcel-records load', ...loadLimits });
  // Without a listener, a broken connection would end the process. The next statement fails anyway.
  client.on('error', () => {});
  await client.connect();
  return client;
}
