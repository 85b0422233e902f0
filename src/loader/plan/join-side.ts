import type { Mapping } from '../columns/fields.js';
import { findColumn } from '../columns/map-options.js';
import { recognise } from '../columns/recognise.js';
import { sampleColumns } from '../columns/sampled-column.js';
import type { Properties, SourceRow } from '../formats/source-row.js';
import { joinedName, type KeyCounts, keyCounts } from './join-pairs.js';

/** The sampled rows of one file of a join. */
export class JoinSide {
  readonly columns: string[];
  private readonly rows: Properties[];

  constructor(rows: SourceRow[]) {
    this.rows = rows.map(({ properties }) => properties);
    this.columns = sampleColumns(this.rows).map(({ name }) => name);
  }

  /** Possible keys. Columns that make a parcel number together are no key alone: a plat's number is shared by all its lots. */
  keysFor(given: Mapping): Map<string, KeyCounts> {
    const pieces = this.piecesOfNumber(given);
    const others = this.columns.filter((column) => !pieces.includes(column));
    return this.keys(pieces.length > 0 ? [joinedName(pieces), ...others] : others);
  }

  keys(columns: string[]): Map<string, KeyCounts> {
    return keyCounts(columns, this.rows);
  }

  /** The columns that make a key. */
  columnsOf(name: string): string[] {
    return this.columns.includes(name) ? [name] : name.split('+');
  }

  /** The column that an operator names, or several joined by `+`. */
  find(name: string): string | undefined {
    const whole = findColumn(name, this.columns);
    if (whole !== undefined || !name.includes('+')) return whole;
    const pieces = name.split('+').map((piece) => findColumn(piece.trim(), this.columns));
    return pieces.every((piece) => piece !== undefined) ? joinedName(pieces) : undefined;
  }

  private piecesOfNumber({ apn }: Mapping): string[] {
    const isOwn = apn?.columns.every((column) => this.columns.includes(column));
    const { mapping } = recognise(sampleColumns(this.rows), { given: isOwn ? { apn } : {} });
    const { columns = [] } = mapping.apn ?? {};
    return columns.length > 1 ? columns : [];
  }
}
