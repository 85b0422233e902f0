import { PendingBytes } from './pending-bytes.js';

enum Byte {
  Quote = 0x22,
  Comma = 0x2c,
  OpenBracket = 0x5b,
  Backslash = 0x5c,
  CloseBracket = 0x5d,
  OpenBrace = 0x7b,
  CloseBrace = 0x7d,
}

// 1 for the six bytes that move the scanner outside of strings.
const isStructural = new Uint8Array(256);
for (const byte of [Byte.Quote, Byte.Comma, Byte.OpenBracket, Byte.CloseBracket, Byte.OpenBrace, Byte.CloseBrace]) isStructural[byte] = 1;

const nothing = Buffer.alloc(0);

const featuresKey = Buffer.from('"features"');

// The largest real parcels have a few megabytes.
export const maxFeatureBytes = 128 * 1024 * 1024;

/** Where a feature starts, or where it ends. */
export type FeatureEdge = 'start' | 'end';

/**
 * Finds features in JSON text that comes in chunks, by counting brackets: those of `features` in one or more collections, of a plain
 * array, or whole objects one after the other, over as many lines as they like. What starts may still turn out to be a collection.
 */
export class FeatureScanner {
  /** Those that are scanned: of the latest chunk, and before them of what it continues. */
  bytes: Buffer = nothing;
  /** Where in these the current feature starts; -1: there is none. */
  featureStart = -1;
  /** The text of the feature that ended last; without bytes where it was too large to be kept. */
  feature: Buffer = nothing;
  private at = 0;
  private depth = 0;
  /** How many brackets are open around a feature: none (objects in a row), one (an array), two (a collection). */
  private featureDepth = 0;
  private isInString = false;
  private isEscaped = false;
  private isFeaturesMember = false;
  private readonly pending = new PendingBytes();
  /** Whether the current feature is too large to be kept: its bytes are passed over. */
  private isOversized = false;
  /** Where the current string starts. */
  private stringStart = 0;

  /** Whether the text may end here. */
  get isOutside(): boolean {
    return this.depth === 0;
  }

  /** Takes the next chunk. All edges of the one before must have been found, and then it may have changed. */
  take(chunk: Buffer): void {
    this.at = this.pending.length;
    this.bytes = this.pending.followedBy(chunk);
  }

  /** Goes on to the next edge of a feature; null: there is none in the bytes. */
  // The state is in local variables on the way: fields would make each byte of the file four times as slow.
  advance(): FeatureEdge | null {
    let { at, depth, featureDepth, isInString, isEscaped, isFeaturesMember, featureStart, stringStart } = this;
    const { bytes } = this;
    const { length } = bytes;
    let edge: FeatureEdge | null = null;
    for (; at < length && edge === null; at++) {
      if (isInString) {
        if (isEscaped) at++;
        while (at < length && bytes[at] !== Byte.Quote) at += bytes[at] === Byte.Backslash ? 2 : 1;
        isEscaped = at > length;
        if (at >= length) break;
        isInString = false;
        if (depth === 1 && featureDepth === 0) isFeaturesMember = isFeaturesKey(bytes, stringStart, at);
        continue;
      }
      let byte = bytes[at]!;
      while (isStructural[byte] === 0 && ++at < length) byte = bytes[at]!;
      if (at === length) break;
      switch (byte) {
        case Byte.Quote:
          isInString = true;
          stringStart = at;
          break;
        case Byte.OpenBrace:
          if (depth === featureDepth) {
            featureStart = at;
            edge = 'start';
          }
          depth++;
          break;
        case Byte.OpenBracket:
          if (depth === 0) featureDepth = 1;
          if (depth === 1 && isFeaturesMember) {
            featureDepth = 2;
            featureStart = -1;
            isFeaturesMember = false;
          }
          depth++;
          break;
        case Byte.CloseBrace:
        case Byte.CloseBracket:
          depth--;
          if (depth === featureDepth && featureStart >= 0) {
            this.feature = this.isOversized ? nothing : bytes.subarray(featureStart, at + 1);
            this.isOversized = false;
            featureStart = -1;
            edge = 'end';
          }
          if (depth <= 0) depth = featureDepth = 0;
          // Members after the features of a collection (`crs`, for example) are objects too, but no features.
          else if (depth === 1 && featureDepth === 2) featureDepth = Number.MAX_SAFE_INTEGER;
          break;
        case Byte.Comma:
          if (depth === 1) isFeaturesMember = false;
      }
    }
    Object.assign(this, { at, depth, featureDepth, isInString, isEscaped, isFeaturesMember, featureStart, stringStart });
    if (edge === null) this.keepPending();
    return edge;
  }

  /** Goes to the end of the feature that has just started, for who knows where that is. */
  passTo(end: number): void {
    this.at = end;
    this.depth--;
    this.featureStart = -1;
  }

  /** Keeps what the next chunk continues: the current feature, or a string that may turn out to be the key `features`. */
  private keepPending(): void {
    const { bytes } = this;
    const isMaybeKey = this.isInString && this.depth === 1;
    const keepFrom = this.featureStart >= 0 ? this.featureStart : isMaybeKey ? this.stringStart : bytes.length;
    if (this.featureStart >= 0) this.featureStart = 0;
    this.stringStart -= keepFrom;
    if (this.featureStart >= 0 && bytes.length - keepFrom > maxFeatureBytes) this.isOversized = true;
    this.pending.keepCopy(this.isOversized ? nothing : bytes.subarray(keepFrom));
  }
}

function isFeaturesKey(bytes: Buffer, start: number, end: number): boolean {
  // A string that began in bytes that were passed over starts before these.
  return start >= 0 && end - start + 1 === featuresKey.length && bytes.compare(featuresKey, 0, featuresKey.length, start, end + 1) === 0;
}
