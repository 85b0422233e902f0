import { type JsonLayout, plainLayout } from './json-layout.js';
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

// The largest real parcels take a few megabytes.
export const maxFeatureBytes = 128 * 1024 * 1024;

/**
 * Finds features in chunks of JSON text by counting brackets: in the list of the layout (the `features` of one or more collections), in a plain
 * array, as members of an object, or as consecutive objects. An object that starts may still turn out to be a collection.
 */
export class FeatureScanner {
  /** The bytes under scan: what was pending, followed by the latest chunk. */
  private bytes: Buffer = nothing;
  /** Where the current feature starts in `bytes`, or -1. */
  featureStart = -1;
  /** The text of the last feature that ended; empty if it was too large to keep. */
  feature: Buffer = nothing;
  private at = 0;
  private depth = 0;
  /** How many brackets are open around a feature: 0 for consecutive objects, 1 in an array, 2 in a collection. */
  private featureDepth = 0;
  private isInString = false;
  private isEscaped = false;
  private isFeaturesMember = false;
  private readonly pending = new PendingBytes();
  /** Whether the current feature is too large to keep; its bytes are skipped. */
  private isOversized = false;
  /** Where the current string starts. */
  private stringStart = 0;
  /** The name of the current feature, where features are members. */
  memberName: string | null = null;
  private readonly listKey: Buffer;

  constructor(private readonly layout: JsonLayout = plainLayout) {
    this.listKey = Buffer.from(layout.list);
  }

  /** Whether the text may end here. */
  get isOutside(): boolean {
    return this.depth === 0;
  }

  /** Adds the next chunk, once `advance` has returned null. The chunk before may be overwritten from then on. */
  push(chunk: Buffer): void {
    this.at = this.pending.length;
    this.bytes = this.pending.followedBy(chunk);
  }

  /** Advances to the end of the next feature. @returns false at the end of the chunk */
  // State is held in local variables: object fields would take four times as long per byte.
  advance(): boolean {
    let { at, depth, featureDepth, isInString, isEscaped, isFeaturesMember, featureStart, stringStart } = this;
    const { bytes, listKey } = this;
    const { depth: listDepth, areMembers } = this.layout;
    const { length } = bytes;
    let isEnd = false;
    for (; at < length && !isEnd; at++) {
      if (isInString) {
        if (isEscaped) at++;
        while (at < length && bytes[at] !== Byte.Quote) at += bytes[at] === Byte.Backslash ? 2 : 1;
        isEscaped = at > length;
        if (at >= length) break;
        isInString = false;
        if (depth === listDepth && featureDepth === 0) isFeaturesMember = isKey(listKey, bytes, stringStart, at);
        if (depth === 1 && areMembers) this.memberName = bytes.toString('utf8', stringStart + 1, at);
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
          if (depth === 0 && areMembers) featureDepth = 1;
          else if (depth === featureDepth) featureStart = at;
          depth++;
          break;
        case Byte.OpenBracket:
          if (depth === 0) featureDepth = 1;
          if (depth === listDepth && isFeaturesMember) {
            featureDepth = listDepth + 1;
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
            isEnd = true;
          }
          if (depth <= 0) depth = featureDepth = 0;
          // Members after a collection's features, such as `crs`, are objects too, but not features.
          else if (depth === listDepth && featureDepth === listDepth + 1) featureDepth = Number.MAX_SAFE_INTEGER;
          break;
        case Byte.Comma:
          if (depth === listDepth) isFeaturesMember = false;
      }
    }
    Object.assign(this, { at, depth, featureDepth, isInString, isEscaped, isFeaturesMember, featureStart, stringStart });
    if (!isEnd) this.keepPending();
    return isEnd;
  }

  /** Keeps what continues in the next chunk: the current feature, or a string that may be the key of the list. */
  private keepPending(): void {
    const { bytes } = this;
    const isMaybeKey = this.isInString && this.depth === this.layout.depth;
    const keepFrom = this.featureStart >= 0 ? this.featureStart : isMaybeKey ? this.stringStart : bytes.length;
    if (this.featureStart >= 0) this.featureStart = 0;
    this.stringStart -= keepFrom;
    if (this.featureStart >= 0 && bytes.length - keepFrom > maxFeatureBytes) this.isOversized = true;
    this.pending.keepCopy(this.isOversized ? nothing : bytes.subarray(keepFrom));
  }
}

function isKey(key: Buffer, bytes: Buffer, start: number, end: number): boolean {
  // A negative start: the string began in bytes that were skipped.
  return start >= 0 && end - start + 1 === key.length && bytes.compare(key, 0, key.length, start, end + 1) === 0;
}
