import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Context } from '../../src/context.js';
import type { Database } from '../../src/database/database.js';
import { ParcelStore } from '../../src/parcels/parcel.store.js';
import { ParcelReader } from '../../src/parcels/read-parcels.js';
import type { ReleaseCatalogue } from '../../src/parcels/release-catalogue.js';
import { TokenStore } from '../../src/tokens/token.store.js';
import { Spender } from '../../src/usage/spend.js';
import { UsageStore } from '../../src/usage/usage.store.js';
import { type Contender, inParallel } from './contender.js';
import { cursorOf, firstOrdinal, type Pages, type Stock } from './pages.js';

/** The service's own reading, called directly: what HTTP, GraphQL and the answer cost is the distance to it. */
export function ourRooms(
  name: string,
  { pool }: Database,
  catalogue: ReleaseCatalogue,
  log: Logger,
  tokenOf: (loop: number) => Buffer,
  pages: Pages,
  stock: Stock,
): Contender {
  const reader = new ParcelReader(catalogue, new Spender(pool), new UsageStore(pool, new TokenStore(pool)), new ParcelStore(pool));
  const contextOf = (tokenHash: Buffer): Context => ({
    principal: { kind: 'token', tokenHash },
    requestId: randomUUID(),
    log,
    idempotencyKey: null,
    ifNoneMatch: null,
    isHead: false,
    isCallerGone: () => false,
  });
  return {
    name,
    read: (limit, times) =>
      inParallel(times, (loop) =>
        reader.read(
          { countyFips: null, limit, cursor: cursorOf(stock, firstOrdinal(pages, stock, limit, loop)) },
          contextOf(tokenOf(loop)),
        ),
      ),
  };
}
