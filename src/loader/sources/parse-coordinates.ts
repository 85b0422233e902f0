import type { FlatRing } from './source.js';

enum Byte {
  Comma = 0x2c,
  Minus = 0x2d,
  Point = 0x2e,
  Zero = 0x30,
  Nine = 0x39,
  OpenBracket = 0x5b,
  CloseBracket = 0x5d,
}

/** So many digits that a double holds any whole number of them, and their quotient by a power of ten is the nearest double. */
const exactDigits = 15;
const powersOfTen = Array.from({ length: exactDigits + 1 }, (_, i) => 10 ** i);

// A MultiPolygon's.
const maxLevels = 4;
const longestNumber = 40;

export interface Coordinates {
  /** Flat rings in arrays, or one position. */
  value: unknown[];
  /** Where the bytes go on behind them. */
  end: number;
}

/**
 * Reads the JSON array of coordinates that starts at an opening bracket, to the very numbers that JSON.parse would give, in a third of its
 * time and a tenth of its memory: the positions of a ring become one flat array, without heights. Null for what is no such array.
 */
export function parseCoordinates(bytes: Buffer, start: number): Coordinates | null {
  const reader = new CoordinatesReader(bytes, start);
  const value = reader.array(maxLevels);
  return value && { value, end: reader.at };
}

class CoordinatesReader {
  constructor(
    private readonly bytes: Buffer,
    public at: number,
  ) {}

  array(levels: number): unknown[] | null {
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

  /** Two numbers behind a bracket; more of them, such as a height, are left out. */
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

  private number(): number {
    const { bytes } = this;
    this.next();
    const start = this.at;
    let at = start;
    const isNegative = bytes[at] === Byte.Minus;
    if (isNegative) at++;
    const first = at;
    let value = 0;
    for (; isDigit(bytes[at]!); at++) value = value * 10 + bytes[at]! - Byte.Zero;
    let digits = at - first;
    // JSON allows no zeros before other digits, and no point without a digit on either side.
    if (digits === 0 || (digits > 1 && bytes[first] === Byte.Zero)) return this.fail();
    let decimals = 0;
    if (bytes[at] === Byte.Point) {
      const point = at++;
      for (; isDigit(bytes[at]!); at++) value = value * 10 + bytes[at]! - Byte.Zero;
      decimals = at - point - 1;
      if (decimals === 0) return this.fail();
      digits += decimals;
    }
    if (digits > exactDigits || isExponent(bytes[at]!)) return this.longNumber(start);
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

  /** The next byte that is no white space. */
  private next(): number {
    const { bytes } = this;
    let byte = bytes[this.at]!;
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++this.at]!;
    return byte;
  }

  /** Goes to where neither a comma nor a bracket follows, so that all arrays around it are given up. */
  private fail(): number {
    this.at = this.bytes.length;
    return Number.NaN;
  }
}

const isDigit = (byte: number): boolean => byte >= Byte.Zero && byte <= Byte.Nine;

const isExponent = (byte: number): boolean => (byte | 0x20) === 0x65;
