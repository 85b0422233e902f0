import type { Config } from '../core/config.js';

/** Tells whoever started the service where it is and what to do first. */
export function printAddresses({ baseUrl, databaseUrl, dataDir }: Pick<Config, 'baseUrl' | 'databaseUrl' | 'dataDir'>): void {
  console.log(`
Parcel Records is up at ${baseUrl}

  look around       ${baseUrl}/          API reference: ${baseUrl}/docs
  get a token       ${baseUrl}/console   sign up, then "Get your trial token"
  read records      curl -H "Authorization: Bearer <token>" "${baseUrl}/api/parcels?limit=2"
  load a county     npm run cli -- load --county 25017 FILE
  become operator   npm run cli -- admin grant you@example.com   then ${baseUrl}/admin
${databaseUrl ? '' : `\nThe embedded database is in ${dataDir}.`}`);
}
