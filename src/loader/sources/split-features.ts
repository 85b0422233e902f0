import { AppError } from '../../errors.js';
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

/**
 * Cuts JSON text into the bytes of its features, by counting brackets: those of `features` in one or more collections, of a
 * plain array, or whole objects one after the other, over as many lines as they like. Each feature is then parsed by V8 at
 * once, which is several times as fast as a stream of tokens.
 * @throws AppError when the text ends within a feature
 */
export async function* splitFeatures(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer[]> {
  const scanner = new FeatureScanner();
  for await (const chunk of chunks) {
    const features = scanner.push(chunk);
    if (features.length > 0) yield features;
  }
  scanner.end();
}

class FeatureScanner {
  private depth = 0;
  /** How many brackets are open around a feature: none (objects in a row), one (an array), two (a collection). */
  private featureDepth = 0;
  private isInString = false;
  private isEscaped = false;
  private isFeaturesMember = false;
  private featureCount = 0;
  private readonly pending = new PendingBytes();
  /** Whether the current feature is too large to be kept: its bytes are passed over. */
  private isOversized = false;
  /** Where in the present bytes the current feature and the current string start; -1: there is none. */
  private featureStart = -1;
  private stringStart = 0;

  /** Returns the features that end within the chunk; one without bytes for each that is too large. */
  push(chunk: Buffer): Buffer[] {
    const scanFrom = this.pending.length;
    const bytes = this.pending.followedBy(chunk);
    const features = this.scan(bytes, scanFrom);
    this.featureCount += features.length;
    this.keepPending(bytes);
    return features;
  }

  end(): void {
    if (this.depth === 0) return;
    const number = this.featureCount + (this.featureStart >= 0 ? 1 : 0);
    throw new AppError('invalid_request', `The file is cut: it ends within or right after feature ${number}.`);
  }

  // The state is in local variables while a chunk is scanned: fields would make each byte of the file four times as slow.
  private scan(bytes: Buffer, scanFrom: number): Buffer[] {
    let { depth, featureDepth, isInString, isEscaped, isFeaturesMember, featureStart, stringStart } = this;
    const features: Buffer[] = [];
    const { length } = bytes;
    for (let i = scanFrom; i < length; i++) {
      if (isInString) {
        if (isEscaped) i++;
        while (i < length && bytes[i] !== Byte.Quote) i += bytes[i] === Byte.Backslash ? 2 : 1;
        isEscaped = i > length;
        if (i >= length) break;
        isInString = false;
        if (depth === 1 && featureDepth === 0) isFeaturesMember = isFeaturesKey(bytes, stringStart, i);
        continue;
      }
      let byte = bytes[i]!;
      while (isStructural[byte] === 0 && ++i < length) byte = bytes[i]!;
      if (i === length) break;
      switch (byte) {
        case Byte.Quote:
          isInString = true;
          stringStart = i;
          break;
        case Byte.OpenBrace:
          if (depth === featureDepth) featureStart = i;
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
            features.push(this.isOversized ? nothing : bytes.subarray(featureStart, i + 1));
            this.isOversized = false;
            featureStart = -1;
          }
          if (depth <= 0) depth = featureDepth = 0;
          // Members after the features of a collection (`crs`, for example) are objects too, but no features.
          else if (depth === 1 && featureDepth === 2) featureDepth = Number.MAX_SAFE_INTEGER;
          break;
        case Byte.Comma:
          if (depth === 1) isFeaturesMember = false;
      }
    }
    Object.assign(this, { depth, featureDepth, isInString, isEscaped, isFeaturesMember, featureStart, stringStart });
    return features;
  }

  /** Keeps what the next chunk continues: the current feature, or a string that may turn out to be the key `features`. */
  private keepPending(bytes: Buffer): void {
    const isMaybeKey = this.isInString && this.depth === 1;
    const keepFrom = this.featureStart >= 0 ? this.featureStart : isMaybeKey ? this.stringStart : bytes.length;
    if (this.featureStart >= 0) this.featureStart = 0;
    this.stringStart -= keepFrom;
    if (this.featureStart >= 0 && bytes.length - keepFrom > maxFeatureBytes) this.isOversized = true;
    this.pending.keep(this.isOversized ? nothing : bytes.subarray(keepFrom));
  }
}

function isFeaturesKey(bytes: Buffer, start: number, end: number): boolean {
  // A string that began in bytes that were passed over starts before these.
  return start >= 0 && end - start + 1 === featuresKey.length && bytes.compare(featuresKey, 0, featuresKey.length, start, end + 1) === 0;
}
