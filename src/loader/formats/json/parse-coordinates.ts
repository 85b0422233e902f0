import type { FlatRing } from '../source-row.js';

enum Byte {
  Comma = 0x2c,
  Minus = 0x2d,
  Point = 0x2e,
  Zero = 0x30,
  Nine = 0x39,
  OpenBracket = 0x5b,
  CloseBracket = 0x5d,
}

/** A double holds any integer of this many digits exactly, and dividing it by a power of ten gives the nearest double. */
const exactDigits = 15;
const powersOfTen = Array.from({ length: exactDigits + 1 }, (_, i) => 10 ** i);

const longestNumber = 40;

/** Returned at the end of the bytes; JSON has no such byte. */
const end = 0;

// As many as a MultiPolygon has.
const maxLevels = 4;

export interface Coordinates {
  /** Flat rings in arrays, or one position. */
  value: unknown[];
  /** The position after the array. */
  end: number;
}

/**
 * Reads the JSON array of coordinates that starts at an opening bracket. The numbers equal those of JSON.parse, in a third of the time and
 * a tenth of the memory: a ring becomes one flat array, without heights. Null if it is not such an array.
 */
export function parseCoordinates(bytes: Buffer, start: number): Coordinates | null {
  const reader = new CoordinatesReader(bytes, start);
  const value = reader.array();
  return value && { value, end: reader.at };
}

/**
 * Reads arrays of coordinates within JSON bytes. Never reads past the end, which may be anywhere in a feature: a function that reads
 * `undefined` there is deoptimised by V8, together with everything inlined into it.
 */
class CoordinatesReader {
  constructor(
    private readonly bytes: Buffer,
    public at: number,
  ) {}

  /** The array that starts at the current bracket. */
  array(levels = maxLevels): unknown[] | null {
    this.at++;
    if (this.next() !== Byte.OpenBracket) return this.position([]);
    const open = this.at++;
    const isRing = this.next() !== Byte.OpenBracket;
    this.at = open;
    return isRing ? this.ring() : levels > 1 ? this.arrays(levels - 1) : null;
  }

  private arrays(levels: number): unknown[] | null {
    const items: unknown[] = [];
    for (;;) {
      const item = this.next() === Byte.OpenBracket ? this.array(levels) : null;
      if (item === null) return null;
      items.push(item);
      const byte = this.next();
      this.at++;
      if (byte === Byte.CloseBracket) return items;
      if (byte !== Byte.Comma) return null;
      this.next();
    }
  }

  private ring(): FlatRing | null {
    const ring: FlatRing = [];
    for (;;) {
      if (this.next() !== Byte.OpenBracket) return null;
      this.at++;
      if (!this.position(ring)) return null;
      const byte = this.next();
      this.at++;
      if (byte === Byte.CloseBracket) return ring;
      if (byte !== Byte.Comma) return null;
    }
  }

  /** Two numbers after a bracket; further ones, such as a height, are dropped. */
  private position(ring: FlatRing): FlatRing | null {
    ring.push(this.number());
    if (this.next() !== Byte.Comma) return null;
    this.at++;
    ring.push(this.number());
    for (;;) {
      const byte = this.next();
      this.at++;
      if (byte === Byte.CloseBracket) return ring;
      if (byte !== Byte.Comma) return null;
      this.number();
    }
  }

  /** Reads exactly the number that JSON.parse would give. Anything else fails. */
  private number(): number {
    const { bytes } = this;
    const { length } = bytes;
    const isNegative = this.next() === Byte.Minus;
    const start = this.at;
    const first = isNegative ? start + 1 : start;
    let at = first;
    let value = 0;
    for (; at < length && isDigit(bytes[at]!); at++) value = value * 10 + bytes[at]! - Byte.Zero;
    let digits = at - first;
    // JSON allows no leading zeros, and needs a digit on either side of the point.
    if (digits === 0 || (digits > 1 && bytes[first] === Byte.Zero)) return this.fail();
    let decimals = 0;
    if (at < length && bytes[at] === Byte.Point) {
      const point = at++;
      for (; at < length && isDigit(bytes[at]!); at++) value = value * 10 + bytes[at]! - Byte.Zero;
      decimals = at - point - 1;
      if (decimals === 0) return this.fail();
      digits += decimals;
    }
    if (digits > exactDigits || (at < length && isExponent(bytes[at]!))) return this.longNumber(start);
    if (decimals > 0) value /= powersOfTen[decimals]!;
    this.at = at;
    return isNegative ? -value : value;
  }

  private longNumber(start: number): number {
    const text = this.bytes.toString('latin1', start, start + longestNumber);
    const [number] = /^-?\d+(\.\d+)?([eE][-+]?\d+)?(?=[^\deE.])/.exec(text) ?? [];
    if (number === undefined) return this.fail();
    this.at = start + number.length;
    return Number(number);
  }

  /** The next byte that is not white space; 0 at the end. */
  private next(): number {
    const { bytes } = this;
    const { length } = bytes;
    for (; this.at < length; this.at++) {
      const byte = bytes[this.at]!;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
    }
    return end;
  }

  /** Moves to the end, so that every caller up to the feature gives up. */
  private fail(): number {
    this.at = this.bytes.length;
    return Number.NaN;
  }
}

const isDigit = (byte: number): boolean => byte >= Byte.Zero && byte <= Byte.Nine;

const isExponent = (byte: number): boolean => (byte | 0x20) === 0x65;
