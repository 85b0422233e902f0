import type { Mapping } from '../columns/fields.js';
import { memoizeByColumns } from '../formats/columnar-row.js';
import type { SourceRow } from '../formats/source-row.js';
import { textOf } from '../values/values.js';
import type { ByteWriter } from './byte-writer.js';

/**
 * Room for more than a hundred columns of forty bytes. Without a limit, one column with pages of notes would multiply a release's size.
 */
const maxBytes = 4096;

/** A column's name as a JSON key, as an object's first member and as a later one. */
interface Key {
  first: string;
  later: string;
}

/**
 * Writes a row's unmapped columns, and partly read ones, as the county published them. Blank values are left out.
 */
export class AttributesWriter {
  /** By column; null for one that is mapped. */
  private readonly keys: Map<string, Key | null>;
  /** If two columns have one name, the last one counts. */
  private readonly keysOf = memoizeByColumns((columns) =>
    columns.map((column, i) => (columns.lastIndexOf(column) === i ? this.keyOf(column) : null)),
  );

  constructor(mapping: Mapping) {
    // Last lines are kept whole: a foreign address, for example, fits no field.
    const inParts = ['part of a last line', 'part of an address', 'before a last line'];
    const whole = Object.values(mapping).filter(({ unit }) => unit === undefined || !inParts.includes(unit));
    this.keys = new Map(whole.flatMap(({ columns }) => columns.map((column) => [column, null])));
  }

  /** Values beyond the limit are left out. */
  write(row: SourceRow, out: ByteWriter): void {
    const start = out.length;
    const { cells } = row;
    if (cells === null) {
      const { properties } = row;
      for (const column in properties) this.add(this.keyOf(column), properties[column], start, out);
    } else {
      const keys = this.keysOf(cells.columns);
      for (let i = 0; i < keys.length; i++) this.add(keys[i]!, cells.values[i], start, out);
    }
    out.ascii(out.length === start ? '{}' : '}');
  }

  private add(key: Key | null, value: unknown, start: number, out: ByteWriter): void {
    if (key === null) return;
    const isPlain = typeof value === 'boolean' || Number.isFinite(value);
    const text = isPlain ? null : textOf(value);
    if (!isPlain && text === null) return;
    const before = out.length;
    out.ascii(before === start ? key.first : key.later);
    if (typeof value === 'number' && isPlain) out.number(value);
    else if (isPlain) out.ascii(String(value));
    else out.json(text);
    if (out.length - start >= maxBytes) out.length = before;
  }

  private keyOf(column: string): Key | null {
    const known = this.keys.get(column);
    if (known !== undefined) return known;
    const name = asciiJson(column);
    const key = { first: `{${name}:`, later: `,${name}:` };
    this.keys.set(column, key);
    return key;
  }
}

const asciiJson = (text: string): string =>
  JSON.stringify(text).replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
