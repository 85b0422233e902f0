import type { Cursors } from '../../src/parcels/cursor.js';
import { concurrency } from './contender.js';

/** The records that the contenders read: a release of the bench's county. */
export interface Stock {
  releaseId: number;
  records: number;
}

/** Where a reader starts: `known`, each its own page again and again, or `new`, anywhere each time. */
export type Pages = 'known' | 'new';

export function firstOrdinal(pages: Pages, { records }: Stock, limit: number, loop: number): number {
  const lastStart = records - limit;
  return 1 + (pages === 'known' ? Math.floor((lastStart * loop) / concurrency) : Math.floor(Math.random() * lastStart));
}

/** The same place as the service's cursors name it. */
export const cursorOf = (cursors: Cursors, { releaseId }: Stock, first: number, tokenHash: Buffer): string =>
  cursors.write({ releaseId, ordinal: first }, tokenHash);
