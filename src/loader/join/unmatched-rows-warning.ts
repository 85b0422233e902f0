import type { JoinColumns } from './join-columns.js';

/** How many rows of one file matched the other. */
export interface JoinedSide {
  rows: number;
  /** How many rows matched none. */
  unmatched: number;
  /** The key of one of them. */
  example: string | null;
}

// Roads have no roll row and personal property has no shape, but both are fewer.
const fewUnmatched = 0.1;

/** Warns when many rows of both files match nothing: their keys are probably written in two ways, so each parcel becomes two records. */
export function unmatchedRowsWarning(shapes: JoinedSide, roll: JoinedSide, { shapeColumn, rollColumn }: JoinColumns): string[] {
  if (Math.min(shapes.unmatched, roll.unmatched) <= Math.min(shapes.rows, roll.rows) * fewUnmatched) return [];
  return [
    `${shapes.unmatched} of ${shapes.rows} shapes match no row of the roll${keyOf(shapes)}, and ${roll.unmatched} of ${roll.rows} rows of the roll match no ` +
      `shape${keyOf(roll)}: each becomes a record of its own. If ${shapeColumn}=${rollColumn} write one parcel in two ways, say how with ` +
      '--join-key, or name other columns with --on.',
  ];
}

const keyOf = ({ example }: JoinedSide): string => (example === null ? '' : ` (such as ${example})`);
