import { refusal } from '../../core/errors.js';
import { findColumn } from '../columns/map-options.js';
import type { Properties, SourceBatch, SourceRow } from '../formats/source-row.js';
import { textOf } from '../values/values.js';

type Condition = { column: string; value: string };

export type RowFilter = (row: SourceRow) => boolean;

/** Keeps rows that meet every condition, and unreadable rows, which must be counted as rejected. */
export function rowFilter(where: string[] = []): RowFilter {
  const conditions = where.map(parseCondition);
  if (conditions.length === 0) return () => true; // avoids looking up values by name
  return ({ properties, fault }) =>
    fault !== null || conditions.every(({ column, value }) => (textOf(valueAt(properties, column)) ?? '') === value);
}

export function* keptRows(rows: SourceBatch, filter: RowFilter): SourceBatch {
  for (const row of rows) if (filter(row)) yield row;
}

/** @throws AppError when a condition names a missing column */
export function checkWhere(where: string[] = [], columns: string[]): void {
  for (const { column } of where.map(parseCondition)) {
    if (!findColumn(column, columns)) throw refusal(`--where ${column}: there is no such column. The columns are: ${columns.join(', ')}.`);
  }
}

function parseCondition(condition: string): Condition {
  const at = condition.indexOf('=');
  if (at < 1) throw refusal(`--where ${condition}: write COLUMN=VALUE.`);
  return { column: condition.slice(0, at).trim(), value: condition.slice(at + 1).trim() };
}

function valueAt(properties: Properties, column: string): unknown {
  return column in properties ? properties[column] : properties[findColumn(column, Object.keys(properties)) ?? ''];
}
