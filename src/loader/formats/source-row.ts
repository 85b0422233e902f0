/** One row of a county's file: attributes, and a shape in the file's own coordinates. */
export interface SourceRow {
  /** Line or feature number in the file, from 1, for the operator to look it up. */
  number: number;
  properties: Properties;
  /** The same as a list if the file's rows share their columns, or null. */
  cells: Cells | null;
  geometry: SourceGeometry | null;
  /** Why the row can't be read, or null. The row's text is then in `properties.text`. */
  fault: string | null;
}

export type Properties = Record<string, unknown>;

/** Values in the order of shared columns: looking up names in millions of objects would take longer. */
export interface Cells {
  columns: readonly string[];
  values: unknown[];
}

/** A ring as x, y, x, y, … A million arrays of two numbers each would take ten times the memory. */
export type FlatRing = number[];

/** A GeoJSON geometry with unchecked numbers. Its rings may be flat or arrays of positions. */
export interface SourceGeometry {
  type: string;
  coordinates?: unknown;
  geometries?: SourceGeometry[];
}

/** How much of a file was read: updated by the reader, shown as progress. */
export interface ReadPosition {
  bytesRead: number;
}

/**
 * Rows are read in batches, because an `await` per row would take longer than reading it. Batches are small, or create their rows lazily:
 * V8's collector copies every row in memory, and treats rows that survive two collections as long-lived.
 */
export type SourceBatch = Iterable<SourceRow>;

export const rowsPerBatch = 32;

export function row(number: number, properties: Properties, geometry: SourceGeometry | null): SourceRow {
  return { number, properties, cells: null, geometry, fault: null };
}

export function brokenRow(number: number, fault: string, text: string): SourceRow {
  return { number, properties: { text: text.slice(0, 10_000) }, cells: null, geometry: null, fault };
}
