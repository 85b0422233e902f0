import { Client } from 'pg';
import type { Database } from '../../database/database.js';
import { loadLimits } from '../../database/limits.js';

/** A connection of its own: a load outlasts the time limits of the pools, and its county's lock lives as long as it does. */
export async function connectForLoad({ url }: Pick<Database, 'url'>): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'parcel-records load', ...loadLimits });
  // Without a listener a broken connection would end the process; the statement that meets it fails anyway.
  client.on('error', () => {});
  await client.connect();
  return client;
}
