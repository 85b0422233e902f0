// Plain JavaScript on the built service: Jest transforms no imports of this file.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireEmbeddedPostgres } from '../../dist/src/database/embedded-postgres.js';
import { migrate } from '../../dist/src/database/migrate.js';
import { createLog } from '../../dist/src/log.js';

/** One real Postgres for the run, with a migrated template that every test file clones. */
export default async function start() {
  const dataDir = await mkdtemp(join(tmpdir(), 'parcel-records-test-'));
  const log = createLog({ logLevel: 'warn' });
  const server = await acquireEmbeddedPostgres(dataDir, log);
  await migrate(server.url, log);
  process.env.TEST_TEMPLATE_URL = server.url;
  globalThis.testServer = { server, dataDir };
}
