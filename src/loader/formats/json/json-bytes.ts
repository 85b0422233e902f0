enum Byte {
  Minus = 0x2d,
  Point = 0x2e,
  Zero = 0x30,
  Nine = 0x39,
}

/** So many digits that a double holds any whole number of them, and their quotient by a power of ten is the nearest double. */
const exactDigits = 15;
const powersOfTen = Array.from({ length: exactDigits + 1 }, (_, i) => 10 ** i);

const longestNumber = 40;

/** What stands behind the last byte; JSON has no such byte. */
const end = 0;

/**
 * JSON text that is read as bytes, from a position on. Never beyond its end: a chunk ends anywhere in a feature, and each function that has
 * met `undefined` there is compiled once more by V8, with all that was compiled into it.
 */
export class JsonBytes {
  constructor(
    protected readonly bytes: Buffer,
    public at: number,
  ) {}

  /** To the very number that JSON.parse would give; what is none fails. */
  number(): number {
    const { bytes } = this;
    const { length } = bytes;
    const isNegative = this.next() === Byte.Minus;
    const start = this.at;
    const first = isNegative ? start + 1 : start;
    let at = first;
    let value = 0;
    for (; at < length && isDigit(bytes[at]!); at++) value = value * 10 + bytes[at]! - Byte.Zero;
    let digits = at - first;
    // JSON allows no zeros before other digits, and no point without a digit on either side.
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

  /** The next byte that is no white space; 0 at the end. */
  next(): number {
    const { bytes } = this;
    const { length } = bytes;
    for (; this.at < length; this.at++) {
      const byte = bytes[this.at]!;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
    }
    return end;
  }

  /** Goes to the end, where nothing follows that could: so all that is around it is given up. */
  protected fail(): number {
    this.at = this.bytes.length;
    return Number.NaN;
  }
}

const isDigit = (byte: number): boolean => byte >= Byte.Zero && byte <= Byte.Nine;

const isExponent = (byte: number): boolean => (byte | 0x20) === 0x65;
