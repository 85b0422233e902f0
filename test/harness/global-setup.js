import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createLog } from '../../src/core/log.js';
import { seedCounties } from '../../src/counties/county-codes.js';
import { createCluster, unprivilegedLaunch } from '../../src/database/embedded/cluster.js';
import { acquireEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { startPostgres } from '../../src/database/embedded/start-postgres.js';
import { migrate } from '../../src/database/migrating/migrate.js';

/** One real Postgres for the run, with a migrated template that every test file clones; or the one that the environment provides. */
export default async function start() {
  if (process.env.TEST_TEMPLATE_URL) return;
  const dataDir = await mkdtemp(join(tmpdir(), 'parcel-records-test-'));
  const log = createLog({ logLevel: 'warn' });
  await startCareless(dataDir, log);
  const server = await acquireEmbeddedPostgres(dataDir, log);
  process.env.TEST_TEMPLATE_URL = server.url;
  process.env.TEST_SERVICE_URL = await becomePlain(server.url);
  await migrate(process.env.TEST_SERVICE_URL, log, seedCounties);
  globalThis.testServer = { server, dataDir };
}

/** Its data goes with the run, so no commit waits until it would survive a power cut. */
async function startCareless(dataDir, log) {
  const launch = await unprivilegedLaunch(dataDir);
  await createCluster(dataDir, launch, log);
  const careless = ['-c', 'fsync=off', '-c', 'full_page_writes=off'];
  await startPostgres(dataDir, { ...launch, command: (binary, flags) => launch.command(binary, [...flags, ...careless]) });
}

/** The service gets a role that owns its database and is nobody special, as wherever people rent a Postgres. */
async function becomePlain(url) {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  // A test file opens a hundred connections, each of which would compute 4,096 rounds of a password that guards nothing.
  await owner.query('set scram_iterations = 1');
  await owner.query(`create role service login password 'service'`);
  await owner.query('alter database parcel_records owner to service');
  await owner.end();
  return Object.assign(new URL(url), { username: 'service', password: 'service' }).href;
}
