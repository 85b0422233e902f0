import { unitsPerDegree } from '../formats/shapes/ring.js';

const initialBytes = 256 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;

// 000, 001, … 999: copying a coordinate's digits three at a time takes a fifth of the time of `String`.
const threeDigits = Buffer.from(Array.from({ length: 1000 }, (_, i) => String(i).padStart(3, '0')).join(''));

/**
 * Writes text as UTF-8 bytes into one reused buffer. Joining a record from sixty strings took three times as long, half of it for the
 * collector.
 */
export class ByteWriter {
  length = 0;
  private bytes = Buffer.allocUnsafe(initialBytes);

  /** The bytes written from a position on. Later writes may overwrite them. */
  written(start = 0): Buffer {
    return this.bytes.subarray(start, this.length);
  }

  /** Removes the first bytes. */
  drop(count: number): void {
    this.bytes.copyWithin(0, count, this.length);
    this.length -= count;
  }

  /** ASCII text, unquoted. */
  ascii(text: string): void {
    this.reserve(text.length);
    const { bytes } = this;
    let at = this.length;
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
    this.length = at;
  }

  /** Any text, unquoted. */
  utf8(text: string): void {
    this.reserve(text.length * 3);
    const { bytes } = this;
    let at = this.length;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) {
        this.length += bytes.write(text, this.length, 'utf8');
        return;
      }
      bytes[at++] = code;
    }
    this.length = at;
  }

  /** A JSON string, or `null`. */
  json(text: string | null): void {
    if (text === null) {
      this.ascii('null');
      return;
    }
    // Nearly all values of counties are plain ASCII.
    if (!this.printable(text)) this.utf8(JSON.stringify(text));
  }

  /** A JSON string of printable ASCII without escapes. @returns false, having written nothing, if the text is not such a string */
  printable(text: string): boolean {
    this.reserve(text.length + 2);
    const { bytes } = this;
    let at = this.length;
    bytes[at++] = quote;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code < 0x20 || code > 0x7e || code === quote || code === backslash) return false;
      bytes[at++] = code;
    }
    bytes[at++] = quote;
    this.length = at;
    return true;
  }

  /** A number as JSON writes it, or `null`. */
  number(value: number | null): void {
    if (value === null || !(value >= 1000 && value <= 0x7fffffff && Number.isInteger(value))) {
      this.ascii(String(value)); // V8 keeps the texts of small numbers
      return;
    }
    this.reserve(10);
    let end = this.length + 4;
    for (let bound = 10_000; value >= bound; bound *= 10) end++;
    let rest = value;
    for (let at = end - 1; at >= this.length; at--) {
      const tenth = (rest / 10) | 0;
      this.bytes[at] = zero + rest - tenth * 10;
      rest = tenth;
    }
    this.length = end;
  }

  /** Degrees, given in units of `unitsPerDegree`, as JSON writes them: without trailing zeros. */
  degrees(units: number): void {
    const size = Math.abs(units);
    // JavaScript writes numbers below 0.000001 with an exponent.
    if (size < unitsPerDegree) {
      this.ascii(String(units / unitsPerDegree));
      return;
    }
    this.reserve(12);
    const { bytes } = this;
    let at = this.length;
    if (units < 0) bytes[at++] = minus;
    const whole = (size / unitsPerDegree) | 0;
    const fraction = (size - whole * unitsPerDegree) | 0;
    if (whole >= 100) bytes[at++] = threeDigits[whole * 3]!;
    if (whole >= 10) bytes[at++] = threeDigits[whole * 3 + 1]!;
    bytes[at++] = threeDigits[whole * 3 + 2]!;
    if (fraction !== 0) {
      bytes[at] = point;
      const first = ((fraction / 10_000) | 0) * 3;
      const middle = (((fraction / 10) | 0) % 1000) * 3;
      for (let i = 0; i < 3; i++) {
        bytes[at + 1 + i] = threeDigits[first + i]!;
        bytes[at + 4 + i] = threeDigits[middle + i]!;
      }
      bytes[at + 7] = zero + (fraction % 10);
      at += 8;
      while (bytes[at - 1] === zero) at--;
    }
    this.length = at;
  }

  /** Copies bytes. */
  copyOf(source: Buffer, start: number, end: number): void {
    this.reserve(end - start);
    this.length += source.copy(this.bytes, this.length, start, end);
  }

  int16(value: number): void {
    this.reserve(2);
    this.length = this.bytes.writeInt16BE(value, this.length);
  }

  int32(value: number): void {
    this.reserve(4);
    this.length = this.bytes.writeInt32BE(value, this.length);
  }

  /** Overwrites an integer at a position. */
  int32At(position: number, value: number): void {
    this.bytes.writeInt32BE(value, position);
  }

  private reserve(count: number): void {
    if (this.length + count > this.bytes.length) this.grow(count);
  }

  private grow(count: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + count));
    larger.set(this.written());
    this.bytes = larger;
  }
}
