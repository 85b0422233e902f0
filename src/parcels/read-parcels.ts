import { createHash } from 'node:crypto';
import { type Context, requireToken } from '../context.js';
import { AppError } from '../errors.js';
import { meteringOf } from '../usage/metering.js';
import type { Spender, Spent } from '../usage/spend.js';
import type { UsageStore } from '../usage/usage.store.js';
import { entityTag, flatten, matchesTag, nextCursor, type PageRequest, resolvePage, type Segment, unflatten } from './page.js';
import { MissingRecords, type ParcelStore } from './parcel.store.js';
import type { ParcelPage } from './parcel-page.js';
import type { ReleaseCatalogue } from './release-catalogue.js';

/**
 * The metered read: which records, then what of them is paid for, then their text. Two round trips at most, and a token
 * that is refused never costs a read.
 */
export class ParcelReader {
  constructor(
    private readonly catalogue: ReleaseCatalogue,
    private readonly spender: Spender,
    private readonly usage: UsageStore,
    private readonly store: ParcelStore,
  ) {}

  async read(request: PageRequest, context: Context): Promise<ParcelPage> {
    const tokenHash = requireToken(context);
    const wanted = resolvePage(this.catalogue, request);
    const isKnown = context.ifNoneMatch !== null && matchesTag(context.ifNoneMatch, entityTag(wanted));
    if (context.isHead || isKnown) {
      await this.usage.requireUsableToken(tokenHash);
      return this.page(request, wanted, null, Buffer.alloc(0));
    }
    const spent = await this.spender.spend({
      tokenHash,
      segments: flatten(wanted),
      countyFips: request.countyFips,
      requestId: context.requestId,
      idempotencyKey: context.idempotencyKey,
      requestHash: context.idempotencyKey === null ? null : fingerprint(request),
    });
    const granted = unflatten(spent.segments);
    return this.page(request, granted, spent, await this.deliver(granted, spent, context));
  }

  /** The text of what was paid for. If it cannot reach the caller, the charge is taken back. */
  private async deliver(granted: Segment[], spent: Spent, context: Context): Promise<Buffer> {
    try {
      const text = await this.store.recordsText(granted);
      // The last moment before the first byte: no other event is handled between here and the write.
      if (context.isCallerGone()) throw new AppError('unavailable', 'The caller has gone.');
      return text;
    } catch (error) {
      if (spent.isReplay && error instanceof MissingRecords) {
        throw new AppError('replay_expired', 'The records of this Idempotency-Key are no longer kept. Use a new key to read current ones.');
      }
      if (!spent.isReplay) await this.usage.reverseWithRetry(spent.entryId, 'not delivered', context.log);
      throw error;
    }
  }

  private page(request: PageRequest, segments: Segment[], spent: Spent | null, records: Buffer): ParcelPage {
    return {
      records,
      nextCursor: nextCursor(this.catalogue, segments, request.countyFips),
      entityTag: entityTag(segments),
      isBodyOmitted: spent === null,
      isReplay: spent?.isReplay ?? false,
      metering: spent && meteringOf(spent),
    };
  }
}

const fingerprint = ({ countyFips, limit, cursor }: PageRequest): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([countyFips, limit, cursor]))
    .digest();
