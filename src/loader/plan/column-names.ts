import { spellingOf } from '../columns/map-options.js';
import { ListedRow } from '../formats/columnar-row.js';
import type { Properties, SourceBatch, SourceRow } from '../formats/source.js';

/** A column that no sampled row has, and the first row that has it. */
export interface UnseenColumn {
  column: string;
  row: number;
}

// A file may well name a column after each of its rows.
const mostUnseen = 1000;

/**
 * Gives rows the names that the plan has for their columns: files and features that were put together write one now in capitals and now
 * not. Two that stand in one row stay two. Notes columns that the plan knows nothing of.
 */
export class ColumnNames {
  /** Names that stay as they are. */
  private readonly known: Set<string>;
  private readonly bySpelling = new Map<string, string>();
  private unseen: UnseenColumn[] = [];
  private unseenCount = 0;
  private listed: readonly string[] = [];
  private named: readonly string[] = [];

  constructor(columns: readonly string[] = []) {
    this.known = new Set(columns);
    for (const column of columns.toReversed()) this.bySpelling.set(spellingOf(column), column);
  }

  /** Those of sampled rows. */
  static of(rows: SourceRow[]): ColumnNames {
    const names = new ColumnNames();
    for (const { properties, fault } of rows) if (fault === null) names.learn(properties);
    return names;
  }

  of(row: SourceRow): SourceRow {
    if (row.fault !== null) return row;
    const { cells } = row;
    if (cells === null) return this.withPlainProperties(row);
    if (cells.columns !== this.listed) {
      this.listed = cells.columns;
      this.named = this.namesOf(cells.columns, row.number);
    }
    return this.named === cells.columns ? row : new ListedRow(row.number, { columns: this.named, values: cells.values }, row.geometry);
  }

  *ofAll(rows: SourceBatch): SourceBatch {
    for (const row of rows) yield this.of(row);
  }

  /** What was noted since the last call. */
  takeUnseen(): UnseenColumn[] {
    const { unseen } = this;
    if (unseen.length > 0) this.unseen = [];
    return unseen;
  }

  private learn(properties: Properties): void {
    const listed = Object.keys(properties);
    for (const name of listed) {
      if (this.known.has(name) || this.otherSpelling(name, listed) !== undefined) continue;
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

  /** The very list where each name stays as it is. */
  private namesOf(listed: readonly string[], row: number): readonly string[] {
    const names = [...listed];
    for (const [i, name] of listed.entries()) {
      if (this.known.has(name)) continue;
      const other = this.otherSpelling(name, names);
      if (other !== undefined) names[i] = other;
      else if (this.unseenCount < mostUnseen) {
        this.unseenCount++;
        this.known.add(name);
        this.unseen.push({ column: name, row });
      }
    }
    return names.every((name, i) => name === listed[i]) ? listed : names;
  }

  private otherSpelling(name: string, beside: readonly string[]): string | undefined {
    const column = this.bySpelling.get(spellingOf(name));
    return column === undefined || beside.includes(column) ? undefined : column;
  }
}
