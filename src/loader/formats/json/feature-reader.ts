import { ListedRow } from '../columnar-row.js';
import type { Cells, Properties, SourceGeometry } from '../source.js';
import { CoordinatesReader } from './parse-coordinates.js';

enum Byte {
  Space = 0x20,
  Quote = 0x22,
  Comma = 0x2c,
  Nine = 0x39,
  Colon = 0x3a,
  OpenBracket = 0x5b,
  Backslash = 0x5c,
  OpenBrace = 0x7b,
  Tilde = 0x7e,
  CloseBrace = 0x7d,
}

const quoted = (word: string): Buffer => Buffer.from(`"${word}"`);

const keys = {
  type: quoted('type'),
  properties: quoted('properties'),
  geometry: quoted('geometry'),
  id: quoted('id'),
  coordinates: quoted('coordinates'),
};
const feature = quoted('Feature');
const shapes = ['Polygon', 'MultiPolygon', 'Point'].map((name) => ({ name, text: quoted(name) }));
const constants = [null, true, false].map((value) => ({ value, text: Buffer.from(String(value)) }));

// Of features whose columns are now these and now those, each would be learned for nothing.
const maxLearnedAtOnce = 4;

/**
 * Reads features that are written as nearly all of a file are: with the columns of the one before, in printable ASCII, no value within
 * another. They become the rows that JSON.parse would make of them, in half of its time; any other feature is null.
 */
export class FeatureReader {
  /** Where the feature ended that was read last. */
  end = 0;
  private columns: string[] = [];
  /** The columns as they stand in the file. */
  private columnKeys: Buffer[] = [];
  /** Where the texts of the present feature start and end. */
  private starts = new Int32Array(0);
  private ends = new Int32Array(0);
  private learned = 0;

  /** Some more columns may be learned, since these are other features. */
  mayLearn(): void {
    this.learned = 0;
  }

  /** Takes the columns of a feature that was read in another way: the next ones may have them, too. */
  learn(feature: Properties): void {
    const columns = Object.keys(feature);
    if (this.learned === maxLearnedAtOnce || sameTexts(columns, this.columns)) return;
    this.learned++;
    this.columns = columns;
    this.columnKeys = columns.map((column) => Buffer.from(JSON.stringify(column)));
    this.starts = new Int32Array(columns.length);
    this.ends = new Int32Array(columns.length);
  }

  /** Reads a feature that is all there is. */
  read(number: number, bytes: Buffer): ListedRow | null {
    const row = this.readAt(number, bytes, 0);
    return row && new FeatureBytes(bytes, this.end).isAtEnd ? row : null;
  }

  /** Reads the feature that starts at a position. */
  readAt(number: number, bytes: Buffer, start: number): ListedRow | null {
    if (this.columns.length === 0) return null;
    const json = new FeatureBytes(bytes, start);
    let cells: Cells | null = null;
    let shape: SourceGeometry | null | undefined;
    if (!json.takes(Byte.OpenBrace)) return null;
    do {
      if (cells === null && json.takesKey(keys.properties)) {
        cells = this.cells(json, bytes);
        if (cells === null) return null;
      } else if (shape === undefined && json.takesKey(keys.geometry)) {
        shape = json.geometry();
        if (shape === undefined) return null;
      } else if (json.takesKey(keys.type)) {
        if (!json.takesText(feature)) return null;
      } else if (!json.takesKey(keys.id) || !json.passesId()) return null;
    } while (json.takes(Byte.Comma));
    if (!json.takes(Byte.CloseBrace) || cells === null || shape === undefined) return null;
    this.end = json.at;
    return new ListedRow(number, cells, shape);
  }

  private cells(json: FeatureBytes, bytes: Buffer): Cells | null {
    const { columns, columnKeys, starts, ends } = this;
    const values: unknown[] = [];
    if (!json.takes(Byte.OpenBrace)) return null;
    const from = json.at;
    for (let i = 0; i < columnKeys.length; i++) {
      if ((i > 0 && !json.takes(Byte.Comma)) || !json.takesKey(columnKeys[i]!)) return null;
      const isText = json.next() === Byte.Quote;
      starts[i] = json.at - from;
      const value = isText ? json.passesText() : json.constant();
      if (value === undefined) return null;
      ends[i] = isText ? json.at - from : 0;
      values.push(value);
    }
    if (!json.takes(Byte.CloseBrace)) return null;
    // All texts are cut from one: to decode each takes much longer.
    const text = bytes.toString('latin1', from, json.at);
    for (let i = 0; i < values.length; i++) {
      if (ends[i] === 0) continue;
      const isPlain = values[i] === true;
      values[i] = isPlain ? text.slice(starts[i]! + 1, ends[i]! - 1) : unescaped(text.slice(starts[i], ends[i]));
      if (values[i] === undefined) return null;
    }
    return { columns, values };
  }
}

class FeatureBytes extends CoordinatesReader {
  get isAtEnd(): boolean {
    this.next();
    return this.at === this.bytes.length;
  }

  takes(byte: Byte): boolean {
    if (this.next() !== byte) return false;
    this.at++;
    return true;
  }

  takesText(text: Buffer): boolean {
    this.next();
    const { bytes, at } = this;
    if (at + text.length > bytes.length) return false;
    for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
    this.at = at + text.length;
    return true;
  }

  /** A member's name and the colon behind it. */
  takesKey(key: Buffer): boolean {
    return this.takesText(key) && this.takes(Byte.Colon);
  }

  /** Goes behind a text of ASCII. @returns whether it stands there as it is, without escapes; undefined where it is no such text */
  passesText(): boolean | undefined {
    const { bytes } = this;
    let isPlain = true;
    for (let at = this.at + 1; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === Byte.Quote) {
        this.at = at + 1;
        return isPlain;
      }
      if (byte < Byte.Space || byte > Byte.Tilde) return undefined;
      if (byte === Byte.Backslash) {
        isPlain = false;
        at++;
      }
    }
    return undefined;
  }

  /** A value that is no text and holds no others; undefined for what is none, and for numbers of which a double may lose digits. */
  constant(): number | boolean | null | undefined {
    if (this.next() <= Byte.Nine) {
      const number = this.number();
      return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined;
    }
    return constants.find(({ text }) => this.takesText(text))?.value;
  }

  passesId(): boolean {
    return this.next() === Byte.Quote ? this.passesText() === true : this.constant() !== undefined;
  }

  /** Undefined for what is not read in this way. */
  geometry(): SourceGeometry | null | undefined {
    if (this.next() !== Byte.OpenBrace) return this.constant() === null ? null : undefined;
    this.at++;
    let type: string | undefined;
    let coordinates: unknown[] | null = null;
    do {
      if (this.takesKey(keys.type)) {
        type = shapes.find(({ text }) => this.takesText(text))?.name;
        if (type === undefined) return undefined;
      } else {
        coordinates = this.takesKey(keys.coordinates) && this.next() === Byte.OpenBracket ? this.array() : null;
        if (coordinates === null) return undefined;
      }
    } while (this.takes(Byte.Comma));
    return type !== undefined && coordinates !== null && this.takes(Byte.CloseBrace) ? { type, coordinates } : undefined;
  }
}

/** Undefined for what is no JSON. */
function unescaped(text: string): string | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const sameTexts = (some: string[], others: string[]): boolean =>
  some.length === others.length && some.every((text, i) => text === others[i]);
