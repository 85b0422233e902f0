import type { Mapping } from '../columns/fields.js';
import { findColumn } from '../columns/map-options.js';
import { recognise } from '../columns/recognise.js';
import { sampleColumns } from '../columns/sampled-column.js';
import type { Properties, SourceRow } from '../formats/source.js';
import { joinedName, type KeyCounts, keyCounts } from './join-pairs.js';

/** The sampled rows of one of the files of a join. */
export class JoinSide {
  readonly columns: string[];
  private readonly rows: Properties[];

  constructor(rows: SourceRow[]) {
    this.rows = rows.map(({ properties }) => properties);
    this.columns = sampleColumns(this.rows).map(({ name }) => name);
  }

  /** What may tie it. Where several columns are the parcel number, none of them is by itself: a plat's is that of all its lots. */
  keysFor(given: Mapping): Map<string, KeyCounts> {
    const pieces = this.piecesOfNumber(given);
    const others = this.columns.filter((column) => !pieces.includes(column));
    return this.keys(pieces.length > 0 ? [joinedName(pieces), ...others] : others);
  }

  keys(columns: string[]): Map<string, KeyCounts> {
    return keyCounts(columns, this.rows);
  }

  /** Those of which a key is put together. */
  columnsOf(name: string): string[] {
    return this.columns.includes(name) ? [name] : name.split('+');
  }

  /** The column of a name that an operator gives, or several of them. */
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
