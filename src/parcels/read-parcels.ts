import { createHash } from 'node:crypto';
import type { Context } from '../core/context.js';
import { AppError } from '../core/errors.js';
import type { Deliveries } from '../ledger/delivery/delivery.js';
import { meteringOf } from '../ledger/spending/metering.js';
import { keyReused, replayExpired, type Spender, type Spent, StaleCoverage } from '../ledger/spending/spend.js';
import type { TokenIdentity } from '../ledger/spending/token-lookup.js';
import { PublishedReleases, type ReleaseCatalogue } from '../releases/catalogue/release-catalogue.js';
import type { KeyedRead, UsageStore } from '../usage/usage.store.js';
import type { Cursors } from './cursor.js';
import {
  entityTag,
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
import { MissingRecords, type ParcelStore } from './parcel.store.js';
import { type ParcelPage, RecordsText } from './parcel-page.js';

interface ReadParts {
  catalogue: ReleaseCatalogue;
  cursors: Cursors;
  spender: Spender;
  deliveries: Deliveries;
  usage: UsageStore;
  store: ParcelStore;
}

/** A page that was found: which records it would have, and what was published when it was found. */
interface FoundPage {
  published: PublishedReleases;
  start: PageStart | undefined;
  segments: Segment[];
  /** Why there is no such page (any more). */
  fault?: AppError;
}

const maxAttempts = 5;

/**
 * The metered read: which records, then what of them is paid for, then their text, then the word that they are on their way.
 * A token that is refused never costs a read of records.
 */
export class ParcelReader {
  constructor(private readonly parts: ReadParts) {}

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
        const granted = unflatten(spent.segments);
        const text = await this.deliver(granted, spent, token, context);
        const page = spent.isReplay ? await this.findAgain(granted) : { ...found, segments: granted };
        return this.page(request, page, token, spent, text);
      } catch (error) {
        if (!(await this.isFoundNoMore(error, found))) throw error;
        if (found.fault) throw found.fault;
      }
    }
    throw new AppError('unavailable', 'Counties are just being published. Try again in a moment.', { retryAfterSeconds: 1 });
  }

  /** Whether coverage has changed since a page was found, so that it is to be found anew. */
  private async isFoundNoMore(error: unknown, { published }: FoundPage): Promise<boolean> {
    const { catalogue } = this.parts;
    if (error instanceof StaleCoverage) {
      await catalogue.refresh();
      return true;
    }
    if (!(error instanceof MissingRecords)) return false;
    // Pruned between the commit of the read, which was taken back, and its page.
    await catalogue.refreshIfStale();
    return catalogue.published.version !== published.version;
  }

  /** The answer to a request for the head, or for records that the caller has already: nothing is read or charged. */
  private async readHead(request: PageRequest, token: TokenIdentity, context: Context): Promise<ParcelPage | null> {
    const { catalogue, usage } = this.parts;
    const { isHead, ifNoneMatch, idempotencyKey } = context;
    await catalogue.refreshIfStale();
    const { refusal, records } = await usage.allowanceOf(token);
    const repeated = idempotencyKey && (await usage.keyedRead(token, idempotencyKey));
    let found: FoundPage;
    if (repeated) found = await this.findRepeated(repeated, request, refusal);
    else {
      found = await this.find(request, token);
      found.segments = segmentsFrom(found.start, { ...request, limit: Math.min(request.limit, records) }, found.published);
    }
    const isKnown = ifNoneMatch !== null && matchesTag(ifNoneMatch, entityTag(found.segments));
    if (!isHead && !isKnown) return null;
    if (refusal && !repeated) throw refusal;
    return { ...this.page(request, found, token, null, Buffer.alloc(0)), isReplay: Boolean(repeated) };
  }

  /** The page that a key would repeat, also for a token that is exhausted. */
  private async findRepeated(
    { segments, requestHash, areKept }: KeyedRead,
    request: PageRequest,
    refusal: AppError | null,
  ): Promise<FoundPage> {
    const isSame = requestHash.equals(fingerprint(request));
    if (refusal && !(refusal.code === 'exhausted' && isSame)) throw refusal;
    if (!isSame) throw keyReused();
    if (!areKept) throw replayExpired();
    return this.findAgain(unflatten(segments));
  }

  private async find(request: PageRequest, token: TokenIdentity): Promise<FoundPage> {
    const { catalogue } = this.parts;
    const { published } = catalogue;
    try {
      return await this.findIn(published, request, token);
    } catch (error) {
      // Another server may have given the cursor, of a release that this one has not heard of yet.
      if (request.cursor === null) throw error;
      await catalogue.refreshIfStale();
      if (catalogue.published === published) throw error;
      return this.findIn(catalogue.published, request, token);
    }
  }

  private async findIn(published: PublishedReleases, request: PageRequest, { tokenId }: TokenIdentity): Promise<FoundPage> {
    const { catalogue, cursors } = this.parts;
    const start = await findStart(request, published, catalogue, cursors, tokenId);
    return { published, start, segments: segmentsFrom(start, request, published) };
  }

  /** A page that was read before. Its last release leads to the next one, also where it is no longer offered. */
  private async findAgain(segments: Segment[]): Promise<FoundPage> {
    const { catalogue } = this.parts;
    const last = segments.at(-1);
    const release = last && (await catalogue.find(last.releaseId));
    return { published: catalogue.published, start: release && { release, ordinal: last.first }, segments };
  }

  private spend(request: PageRequest, { published, segments }: FoundPage, token: TokenIdentity, context: Context): Promise<Spent> {
    const { idempotencyKey } = context;
    return this.parts.spender.spend({
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

  /** The text of what was paid for, claimed for its caller. What cannot be delivered is taken back (see usage/README.md). */
  private async deliver(granted: Segment[], spent: Spent, { balanceId }: TokenIdentity, context: Context): Promise<Buffer> {
    const { store, deliveries } = this.parts;
    const read = { balanceId, requestId: context.requestId, entryId: spent.entryId };
    // A retry under the key gets the records for nothing. Taking the charge back would make a retry already answered a gift.
    const standsWithoutCaller = context.idempotencyKey !== null;
    const isOursToTakeBack = !spent.isReplay && spent.records > 0;
    let text: Buffer;
    try {
      text = await store.recordsText(granted, balanceId);
      // Behind other answers of its connection it may never get to its caller.
      await context.turn();
      if (context.isCallerGone() && !standsWithoutCaller) throw callerGone();
    } catch (error) {
      if (isOursToTakeBack) await deliveries.takeBack(read, 'before claim');
      // Pruned at this very moment, after the replay was written down.
      if (spent.isReplay && error instanceof MissingRecords) throw replayExpired();
      throw error;
    }
    if (isOursToTakeBack) await this.claim(read, standsWithoutCaller, context);
    return text;
  }

  // The last moment before the first byte: no other event is handled between the end of this and the write.
  private async claim(read: Parameters<Deliveries['claim']>[0], standsWithoutCaller: boolean, context: Context): Promise<void> {
    const { deliveries } = this.parts;
    let isOurs: boolean;
    try {
      isOurs = await deliveries.claim(read);
      if (isOurs && context.isCallerGone() && !standsWithoutCaller) throw callerGone();
    } catch (error) {
      await deliveries.takeBack(read, 'after claim');
      throw error;
    }
    if (!isOurs) throw new AppError('unavailable', 'This took too long, and was taken back: nothing is charged.', { retryAfterSeconds: 1 });
  }

  private page(request: PageRequest, found: FoundPage, { tokenId }: TokenIdentity, spent: Spent | null, records: Buffer): ParcelPage {
    const { published, start, segments } = found;
    const next = startAfter(segments, start, request.countyFips, published);
    return {
      records: new RecordsText(records),
      nextCursor: next && this.parts.cursors.write({ releaseId: next.release.id, ordinal: next.ordinal }, tokenId),
      entityTag: entityTag(segments),
      isBodyOmitted: spent === null,
      isReplay: spent?.isReplay ?? false,
      metering: spent && meteringOf(spent),
    };
  }
}

/** What speaks against an answer without records does not speak against repeating those that were paid for under a key. */
function replayAtMost(error: unknown, { isHead, idempotencyKey }: Context): null {
  if (isHead || idempotencyKey === null || !(error instanceof AppError)) throw error;
  return null;
}

/** A page that is no longer offered can still be repeated to who paid for it under a key. No spend of it matches coverage. */
function replayOnly(error: unknown, { idempotencyKey }: Context): FoundPage {
  if (idempotencyKey === null || !(error instanceof AppError)) throw error;
  return { published: new PublishedReleases('0', []), start: undefined, segments: [], fault: error };
}

const callerGone = () => new AppError('unavailable', 'The caller has gone.');

const fingerprint = ({ countyFips, limit, cursor }: PageRequest): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([countyFips, limit, cursor]))
    .digest();
