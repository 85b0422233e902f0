import type { Logger } from 'pino';
import type { CoverageVersion } from '../counties/coverage-version.js';
import type { Database } from '../database/database.js';
import { Deliveries } from '../ledger/delivery/delivery.js';
import { Spender } from '../ledger/spending/spend.js';
import { TokenLookup } from '../ledger/spending/token-lookup.js';
import { CountyReleaseResolver } from '../releases/catalogue/county-release.resolver.js';
import { ReleaseCatalogue } from '../releases/catalogue/release-catalogue.js';
import { ReleaseDescriptions } from '../releases/catalogue/release-descriptions.js';
import { DailyUsageResolver } from '../usage/daily-usage.resolver.js';
import { DailyUsageStore } from '../usage/daily-usage.store.js';
import { LedgerStore } from '../usage/ledger.store.js';
import { UsageResolver } from '../usage/usage.resolver.js';
import { UsageStore } from '../usage/usage.store.js';
import { AttributesStore } from './attributes.store.js';
import { CountyOfferResolver } from './county-offer.resolver.js';
import { Cursors } from './cursor.js';
import { EntryRecordsReader } from './entry-records.js';
import { LedgerSegmentsResolver } from './ledger-segments.resolver.js';
import { ParcelResolver } from './parcel.resolver.js';
import { ParcelStore } from './parcel.store.js';
import { ParcelReader } from './read-parcels.js';
import { SampleRecords } from './sample-record.js';

/** The metered read as the rest of the house sees it. */
export interface Parcels {
  reader: ParcelReader;
  deliveries: Deliveries;
  resolvers: object[];
}

interface ParcelsParts {
  database: Pick<Database, 'pool' | 'controlPool' | 'controlDataSource' | 'reportPool'>;
  coverage: CoverageVersion;
  /** They sign cursors: the present one first. */
  secrets: string[];
  log: Logger;
}

/** The room of parcels, put together with what it spends. */
export async function createParcels({
  database: { pool, controlPool, controlDataSource, reportPool },
  coverage,
  secrets,
  log,
}: ParcelsParts): Promise<Parcels> {
  const tokens = new TokenLookup(pool);
  const usage = new UsageStore(pool);
  const store = new ParcelStore(pool);
  const deliveries = new Deliveries(pool, log);
  const spender = new Spender(pool, deliveries.gate, ({ token: { balanceId }, requestId }) =>
    deliveries.takeBack({ balanceId, requestId, entryId: null }, 'before claim'),
  );
  const catalogue = await ReleaseCatalogue.open(pool, coverage);
  const releases = new ReleaseDescriptions(controlDataSource);
  const reader = new ParcelReader({ catalogue, cursors: new Cursors(secrets), spender, deliveries, usage, store });
  return {
    reader,
    deliveries,
    resolvers: [
      new ParcelResolver(tokens, reader, new EntryRecordsReader(new LedgerStore(controlPool), store, new AttributesStore(controlPool))),
      new UsageResolver(tokens, usage),
      new DailyUsageResolver(new DailyUsageStore(reportPool)),
      new LedgerSegmentsResolver(releases),
      new CountyReleaseResolver(releases),
      new CountyOfferResolver(new SampleRecords(reportPool)),
    ],
  };
}
