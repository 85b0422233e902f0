import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../src/log.js';
import { openServiceDatabase } from '../../src/service-database.js';
import { measureLoading } from './loading.js';
import { measureReading } from './reading.js';

/**
 * What the service costs beside the bare database: one run, one embedded Postgres in a temporary folder, contenders in
 * turns. Figures depend on the machine, so the ratios are what counts. `--quick`: a smaller file and shorter rounds.
 */
async function main(): Promise<void> {
  const isQuick = process.argv.includes('--quick');
  const dataDir = await mkdtemp(join(tmpdir(), 'parcel-records-bench-'));
  const log = createLog({ logLevel: 'error' });
  const database = await openServiceDatabase({ dataDir }, log);
  try {
    const { releaseId, records } = await measureLoading(database, dataDir, isQuick ? 20_000 : 100_000);
    await measureReading(database, dataDir, log, { releaseId, records, roundMs: isQuick ? 150 : 900 });
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

await main();
