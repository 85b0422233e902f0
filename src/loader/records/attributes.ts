import type { Mapping } from '../columns/fields.js';
import { onceForColumns } from '../formats/columnar-row.js';
import type { SourceRow } from '../formats/source.js';
import { textOf } from '../values/values.js';
import type { ByteWriter } from './byte-writer.js';

/**
 * More than a hundred columns of forty bytes each. Without a bound, one column with a page of notes would make a release many times as
 * large.
 */
const maxBytes = 4096;

/** A column's name as a JSON key, of the first and of a later one of an object. */
interface Key {
  first: string;
  later: string;
}

/**
 * Writes the columns of a row that are mapped to no field, or whose lines are read in parts, as the county published them; blank ones are
 * left out.
 */
export class AttributesWriter {
  /** By column; null for one that is mapped. */
  private readonly keys: Map<string, Key | null>;
  /** Of two columns of one name the last one counts. */
  private readonly keysOf = onceForColumns((columns) =>
    columns.map((column, i) => (columns.lastIndexOf(column) === i ? this.keyOf(column) : null)),
  );

  constructor(mapping: Mapping) {
    // What is no last line, as an address abroad, would else be nowhere.
    const whole = Object.values(mapping).filter(({ unit }) => unit !== 'part of a last line');
    this.keys = new Map(whole.flatMap(({ columns }) => columns.map((column) => [column, null])));
  }

  /** What does not fit any more is left out. */
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
