import { spellingOf } from '../columns/map-options.js';
import { ColumnarRow } from '../formats/columnar-row.js';
import type { Properties, SourceBatch, SourceRow } from '../formats/source-row.js';

/** A column that no sampled row has, with the first row that has it. */
export interface UnseenColumn {
  column: string;
  row: number;
}

// A malformed file may have a new column name in every row.
const mostUnseen = 1000;

/**
 * Renames a row's columns to the plan's spelling: merged files and features spell one column in several ways. Two spellings in one row
 * stay two columns. Collects columns that the plan does not know.
 */
export class ColumnNames {
  /** Names in the plan's spelling. */
  private readonly known: Set<string>;
  private readonly bySpelling = new Map<string, string>();
  private unseen: UnseenColumn[] = [];
  private unseenCount = 0;
  private lastColumns: readonly string[] = [];
  private lastNames: readonly string[] = [];

  constructor(columns: readonly string[] = []) {
    this.known = new Set(columns);
    for (const column of columns.toReversed()) this.bySpelling.set(spellingOf(column), column);
  }

  /** The names of sampled rows. */
  static of(rows: SourceRow[]): ColumnNames {
    const names = new ColumnNames();
    for (const { properties, fault } of rows) if (fault === null) names.learn(properties);
    return names;
  }

  of(row: SourceRow): SourceRow {
    if (row.fault !== null) return row;
    const { cells } = row;
    if (cells === null) return this.withPlainProperties(row);
    if (cells.columns !== this.lastColumns) {
      this.lastColumns = cells.columns;
      this.lastNames = this.namesOf(cells.columns, row.number);
    }
    return this.lastNames === cells.columns
      ? row
      : new ColumnarRow(row.number, { columns: this.lastNames, values: cells.values }, row.geometry);
  }

  *ofAll(rows: SourceBatch): SourceBatch {
    for (const row of rows) yield this.of(row);
  }

  /** The unknown columns found since the last call. */
  takeUnseen(): UnseenColumn[] {
    const { unseen } = this;
    if (unseen.length > 0) this.unseen = [];
    return unseen;
  }

  private learn(properties: Properties): void {
    const listed = Object.keys(properties);
    for (const name of listed) {
      if (this.known.has(name) || this.knownSpelling(name, listed) !== undefined) continue;
      this.known.add(name);
      if (!this.bySpelling.has(spellingOf(name))) this.bySpelling.set(spellingOf(name), name);
    }
  }

  private withPlainProperties(row: SourceRow): SourceRow {
    const { properties } = row;
    for (const name in properties) if (!this.known.has(name)) return this.renamed(row);
    return row;
  }

  private renamed(row: SourceRow): SourceRow {
    const listed = Object.keys(row.properties);
    const names = this.namesOf(listed, row.number);
    return names === listed ? row : { ...row, properties: Object.fromEntries(names.map((name, i) => [name, row.properties[listed[i]!]])) };
  }

  /** The same list, by identity, when no name changes. */
  private namesOf(listed: readonly string[], row: number): readonly string[] {
    const names = [...listed];
    for (const [i, name] of listed.entries()) {
      if (this.known.has(name)) continue;
      const other = this.knownSpelling(name, names);
      if (other !== undefined) names[i] = other;
      else if (this.unseenCount < mostUnseen) {
        this.unseenCount++;
        this.known.add(name);
        this.unseen.push({ column: name, row });
      }
    }
    return names.every((name, i) => name === listed[i]) ? listed : names;
  }

  private knownSpelling(name: string, beside: readonly string[]): string | undefined {
    const column = this.bySpelling.get(spellingOf(name));
    return column === undefined || beside.includes(column) ? undefined : column;
  }
}
