import type { Logger } from 'pino';
import type { CoverageVersion } from '../counties/coverage-version.js';
import type { Database } from '../database/database.js';
import { Deliveries } from '../ledger/delivery.js';
import { Spender } from '../ledger/spend.js';
import { TokenLookup } from '../ledger/token-lookup.js';
import { LogProofs } from '../proofs/log/log-proofs.js';
import { RecordProofs } from '../proofs/log/record-proof.js';
import { CountyReleaseResolver } from '../releases/catalogue/county-release.resolver.js';
import { ReleaseCatalogue } from '../releases/catalogue/release-catalogue.js';
import { ReleaseDescriptions } from '../releases/catalogue/release-descriptions.js';
import { LedgerStore } from '../usage/ledger.store.js';
import { UsageResolver } from '../usage/usage.resolver.js';
import { UsageStore } from '../usage/usage.store.js';
import { BoughtLibrary } from './bought/bought-library.js';
import { BoughtRecordsResolver } from './bought/bought-records.resolver.js';
import { CountyOfferResolver } from './county-offer.resolver.js';
import { Cursors } from './cursor.js';
import { EntryRecordsResolver } from './entry-records.resolver.js';
import type { SearchBuckets } from './find-parcels.js';
import { FindParcelsResolver } from './find-parcels.resolver.js';
import { LedgerSegmentsResolver } from './ledger-segments.resolver.js';
import { openDigestKeys } from './page.js';
import { ParcelResolver } from './parcel.resolver.js';
import { ParcelStore } from './parcel.store.js';
import { ParcelReader } from './read-parcels.js';
import { RecordProofResolver } from './record-proof.resolver.js';

/** The metered read, as other rooms use it. */
export interface Parcels {
  reader: ParcelReader;
  deliveries: Deliveries;
  tokens: TokenLookup;
  bought: BoughtLibrary;
  resolvers: object[];
}

/**
 * Builds the metered read with its ledger and catalogue.
 * @param cursorSecrets the first is the current one
 * @param bucketsOf reads the index that finds parcels
 * @param secondsToWait until an account may search for a parcel once more
 */
export async function createParcels(
  { pool, controlPool, controlDataSource, reportPool, downloadPool }: Database,
  coverage: CoverageVersion,
  cursorSecrets: string[],
  bucketsOf: SearchBuckets,
  secondsToWait: (accountId: string) => number,
  log: Logger,
): Promise<Parcels> {
  const tokens = new TokenLookup(pool);
  const usage = new UsageStore(pool);
  const store = new ParcelStore(pool);
  const deliveries = new Deliveries(pool, log);
  const spender = new Spender(pool, deliveries.gate, ({ token: { balanceId }, requestId }) =>
    deliveries.reverse({ balanceId, requestId, entryId: null }, 'before claim'),
  );
  const catalogue = await ReleaseCatalogue.open(pool, coverage);
  const releases = new ReleaseDescriptions(controlDataSource);
  const ledger = new LedgerStore(controlPool);
  const cursors = new Cursors(cursorSecrets);
  const reader = new ParcelReader(catalogue, cursors, spender, deliveries, usage, store, await openDigestKeys(pool));
  const bought = new BoughtLibrary(downloadPool);
  return {
    reader,
    deliveries,
    tokens,
    bought,
    resolvers: [
      new BoughtRecordsResolver(bought, releases),
      new ParcelResolver(tokens, reader),
      new FindParcelsResolver(controlPool, bucketsOf, tokens, cursors, secondsToWait),
      new EntryRecordsResolver(ledger, store, controlPool),
      new RecordProofResolver(ledger, new RecordProofs(controlPool, new LogProofs(controlPool))),
      new UsageResolver(tokens, usage),
      new LedgerSegmentsResolver(releases),
      new CountyReleaseResolver(releases, controlDataSource),
      new CountyOfferResolver(reportPool),
    ],
  };
}
