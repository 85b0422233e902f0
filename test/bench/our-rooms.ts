import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Context } from '../../src/context.js';
import type { Cursors } from '../../src/parcels/cursor.js';
import type { ParcelReader } from '../../src/parcels/read-parcels.js';
import { type Contender, inParallel } from './contender.js';
import { cursorOf, firstOrdinal, type Pages, type Stock } from './pages.js';

/** The service's own reading, called directly: what HTTP, GraphQL and the answer cost is the distance to it. */
export function ourRooms(
  name: string,
  reader: ParcelReader,
  cursors: Cursors,
  log: Logger,
  tokenOf: (loop: number) => Buffer,
  pages: Pages,
  stock: Stock,
): Contender {
  const contextOf = (tokenHash: Buffer): Context => ({
    principal: { kind: 'token', tokenHash },
    requestId: randomUUID(),
    log,
    idempotencyKey: null,
    ifNoneMatch: null,
    isHead: false,
    isCallerGone: () => false,
  });
  const read = (limit: number, loop: number) => {
    const tokenHash = tokenOf(loop);
    const cursor = cursorOf(cursors, stock, firstOrdinal(pages, stock, limit, loop), tokenHash);
    return reader.read({ countyFips: null, limit, cursor }, contextOf(tokenHash));
  };
  return { name, read: (limit, times) => inParallel(times, (loop) => read(limit, loop)) };
}
