import { createHash } from 'node:crypto';
import type { Context } from '../core/context.js';
import { AppError } from '../core/errors.js';
import type { Deliveries, UndeliveredRead } from '../ledger/delivery.js';
import { meteringOf } from '../ledger/metering.js';
import { keyReused, replayExpired, type Spender, type Spent, StaleCoverage } from '../ledger/spend.js';
import type { TokenIdentity } from '../ledger/token-lookup.js';
import { PublishedReleases, type ReleaseCatalogue } from '../releases/catalogue/release-catalogue.js';
import type { KeyedRead, UsageStore } from '../usage/usage.store.js';
import type { Cursors } from './cursor.js';
import {
  countOf,
  type DigestKeys,
  findStart,
  flatten,
  matchesTag,
  type PageRequest,
  type PageStart,
  type Segment,
  segmentsFrom,
  startAfter,
  unflatten,
} from './page.js';
import { MissingRecords, type ParcelStore, type Records } from './parcel.store.js';
import { type OriginalRead, type ParcelPage, RecordsText } from './parcel-page.js';

/** The records that a page would have, and the catalogue that it was found in. */
interface FoundPage {
  published: PublishedReleases;
  start: PageStart | undefined;
  segments: Segment[];
  /** The read that it repeats. */
  original?: OriginalRead;
  /** The last place in a county that it may lead to. */
  reach?: number | null;
  /** Why the page does not exist, or no longer does. */
  fault?: AppError;
}

const maxAttempts = 5;

/**
 * The metered read, in this order: find the records, spend for them, read their text, confirm the delivery.
 * A refused token never causes a read of records.
 */
export class ParcelReader {
  constructor(
    private readonly catalogue: ReleaseCatalogue,
    private readonly cursors: Cursors,
    private readonly spender: Spender,
    private readonly deliveries: Deliveries,
    private readonly usage: UsageStore,
    private readonly store: ParcelStore,
    private readonly keys: DigestKeys,
  ) {}

  async read(request: PageRequest, token: TokenIdentity, context: Context): Promise<ParcelPage> {
    if (context.isHead || context.ifNoneMatch !== null) {
      const withoutBody = await this.readHead(request, token, context).catch((error) => replayAtMost(error, context));
      if (withoutBody) return withoutBody;
    }
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      let found: FoundPage;
      try {
        found = await this.find(request, token);
      } catch (error) {
        found = replayOnly(error, context);
      }
      try {
        const spent = await this.spend(request, found, token, context);
        return await this.deliver(request, found, spent, token, context);
      } catch (error) {
        if (!(await this.isOutdated(error, found))) throw error;
        if (found.fault) throw found.fault;
      }
    }
    throw new AppError('unavailable', 'Counties are being published right now. Try again in a moment.', { retryAfterSeconds: 1 });
  }

  /** Whether coverage has changed since the page was found, so that it must be found again. */
  private async isOutdated(error: unknown, { published }: FoundPage): Promise<boolean> {
    const { catalogue } = this;
    if (error instanceof StaleCoverage) {
      await catalogue.refresh();
      return true;
    }
    if (!(error instanceof MissingRecords)) return false;
    // Pruned between the commit of the read, which was reversed, and its page.
    await catalogue.refreshIfStale();
    return catalogue.published.version !== published.version;
  }

  /** Answers HEAD, or If-None-Match with the current tag. Reads and charges nothing. @returns null if a full read is needed */
  private async readHead(request: PageRequest, token: TokenIdentity, context: Context): Promise<ParcelPage | null> {
    const { catalogue, usage } = this;
    const { isHead, ifNoneMatch, idempotencyKey } = context;
    await catalogue.refreshIfStale();
    const { refusal, records, reach } = await usage.allowanceOf(token);
    const repeated = idempotencyKey && (await usage.keyedRead(token, idempotencyKey));
    let found: FoundPage;
    if (repeated) found = await this.findRepeated(repeated, request, refusal);
    else {
      found = { ...(await this.find(request, token)), reach };
      found.segments = segmentsFrom(found.start, { ...request, limit: Math.min(request.limit, records) }, found.published);
    }
    const digests = await this.store.digests(found.segments, token.balanceId);
    const isKnown = ifNoneMatch !== null && matchesTag(ifNoneMatch, digests.shownTo(token.accountId, this.keys).entityTag);
    if (!isHead && !isKnown) return null;
    if (refusal && !repeated) throw refusal;
    return await this.page(request, found, token, null, { text: Buffer.alloc(0), digests });
  }

  /** The page that a key would repeat, even for an exhausted token. */
  private async findRepeated(read: KeyedRead, request: PageRequest, refusal: AppError | null): Promise<FoundPage> {
    const { requestHash, areKept, mayRepeat } = read;
    const isSame = requestHash.equals(fingerprint(request));
    if (refusal && !(refusal.code === 'exhausted' && isSame && mayRepeat)) throw refusal;
    if (!isSame) throw keyReused();
    if (!(mayRepeat && areKept)) throw replayExpired();
    return this.findAgain(read);
  }

  private async find(request: PageRequest, token: TokenIdentity): Promise<FoundPage> {
    const { catalogue } = this;
    const { published } = catalogue;
    try {
      return await this.findIn(published, request, token);
    } catch (error) {
      // Another server may have issued the cursor, for a release that this one does not know yet.
      if (request.cursor === null) throw error;
      await catalogue.refreshIfStale();
      if (catalogue.published === published) throw error;
      return this.findIn(catalogue.published, request, token);
    }
  }

  private async findIn(published: PublishedReleases, request: PageRequest, token: TokenIdentity): Promise<FoundPage> {
    const { catalogue, cursors, usage } = this;
    const takesOver = (owner: string) => usage.takesOver(token, owner);
    const start = await findStart(request, published, catalogue, cursors, token.balanceId, takesOver);
    return { published, start, segments: segmentsFrom(start, request, published) };
  }

  /** A page that was read before. Its last release leads to the next page, even if it is no longer offered. */
  private async findAgain({ segments: triples, ledgerEntryId, creditsCharged }: KeyedRead): Promise<FoundPage> {
    const { catalogue } = this;
    const segments = unflatten(triples);
    const last = segments.at(-1);
    const release = last && (await catalogue.find(last.releaseId));
    const start = release && { release, ordinal: last.first };
    return { published: catalogue.published, start, segments, original: { ledgerEntryId, creditsCharged } };
  }

  /** Finds the read of a replay that is in the ledger: it can't be reversed any more. */
  private async findOriginal(token: TokenIdentity, { idempotencyKey }: Context): Promise<FoundPage> {
    return this.findAgain((await this.usage.keyedRead(token, idempotencyKey!))!);
  }

  private spend(request: PageRequest, { published, segments }: FoundPage, token: TokenIdentity, context: Context): Promise<Spent> {
    const { idempotencyKey } = context;
    return this.spender.spend({
      token,
      coverageVersion: published.version,
      segments: flatten(segments),
      countyFips: request.countyFips,
      requestId: context.requestId,
      idempotencyKey,
      requestHash: idempotencyKey === null ? null : fingerprint(request),
      isCallerGone: () => context.isCallerGone(),
    });
  }

  /** Makes the page that was paid for, and confirms its delivery. Reverses what cannot be delivered (see ledger/README.md). */
  private async deliver(request: PageRequest, found: FoundPage, spent: Spent, token: TokenIdentity, context: Context): Promise<ParcelPage> {
    const { store, deliveries } = this;
    const { balanceId } = token;
    const read = { balanceId, requestId: context.requestId, entryId: spent.entryId };
    // A retry under the key gets the records for free. A reversal would make a retry that was already answered a gift.
    const isKeptForRetry = context.idempotencyKey !== null;
    const isOursToReverse = !spent.isReplay && spent.records > 0;
    let page: ParcelPage;
    try {
      const segments = unflatten(spent.segments);
      const content = await store.records(segments, balanceId);
      const granted = spent.isReplay ? await this.findOriginal(token, context) : { ...found, segments };
      page = await this.page(request, granted, token, spent, content);
      await context.prepareAnswer?.(page);
      // An answer that waits behind others on its connection may never reach the caller.
      await context.earlierAnswersSent();
      if (context.isCallerGone() && !isKeptForRetry) throw callerGone();
    } catch (error) {
      if (isOursToReverse) await deliveries.reverse(read, 'before claim');
      // Pruned after the replay was written.
      if (spent.isReplay && error instanceof MissingRecords) throw replayExpired();
      throw error;
    }
    if (isOursToReverse) await this.confirm(read, isKeptForRetry, context);
    return page;
  }

  // Runs right before the first byte: no other event is handled between its end and the write.
  private async confirm(read: UndeliveredRead, isKeptForRetry: boolean, context: Context): Promise<void> {
    const { deliveries } = this;
    let isOurs: boolean;
    try {
      isOurs = await deliveries.confirmDelivery(read);
      if (isOurs && context.isCallerGone() && !isKeptForRetry) throw callerGone();
    } catch (error) {
      await deliveries.reverse(read, 'after claim');
      throw error;
    }
    if (!isOurs) throw new AppError('unavailable', 'This took too long and was reversed: nothing is charged.', { retryAfterSeconds: 1 });
  }

  private async page(
    request: PageRequest,
    found: FoundPage,
    { balanceId, accountId }: TokenIdentity,
    spent: Spent | null,
    { text, digests }: Records,
  ): Promise<ParcelPage> {
    const { published, start, segments, original = null, reach } = found;
    const { entityTag, list } = digests.shownTo(accountId, this.keys);
    const following = startAfter(segments, start, request.countyFips, published);
    const next = reach && following && following.ordinal > reach ? null : following;
    const isShort = countOf(segments) < request.limit && following !== null;
    return {
      records: new RecordsText(text, spent?.records ?? 0),
      // What follows a repeated page at a county's end may have come later.
      isCut: next !== following || (isShort && !(original && following.ordinal === 1)),
      countyStatus: segments.length === 0 && request.countyFips !== null ? await this.store.statusOf(request.countyFips) : null,
      original,
      nextCursor: next && this.cursors.write({ releaseId: next.release.id, ordinal: next.ordinal }, balanceId),
      entityTag,
      recordDigests: list,
      metering: spent && meteringOf(spent),
    };
  }
}

/** A conditional request that would fail may still be answered as a replay of its key. */
function replayAtMost(error: unknown, { isHead, idempotencyKey }: Context): null {
  if (isHead || idempotencyKey === null || !(error instanceof AppError)) throw error;
  return null;
}

/** A page that no longer exists can still be replayed under its key. Version 0 matches no coverage, so it cannot be bought. */
function replayOnly(error: unknown, { idempotencyKey }: Context): FoundPage {
  if (idempotencyKey === null || !(error instanceof AppError)) throw error;
  return { published: new PublishedReleases('0', []), start: undefined, segments: [], fault: error };
}

const callerGone = () => new AppError('unavailable', 'The caller has gone.');

const fingerprint = ({ countyFips, limit, cursor }: PageRequest): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([countyFips, limit, cursor]))
    .digest();
