import type { JoinColumns } from './join-rows.js';

/** How the rows of one file met those of the other. */
export interface JoinedSide {
  rows: number;
  /** That met none. */
  alone: number;
  /** The key of one of these. */
  example: string | null;
}

// Roads have no roll row, and personal property has no shape; but not so many of both.
const fewAlone = 0.1;

/** Where many rows of both files meet none of the other, their keys are written in two ways, and each parcel is two records. */
export function lonelyWarning(shapes: JoinedSide, roll: JoinedSide, { shapeColumn, rollColumn }: JoinColumns): string[] {
  if (Math.min(shapes.alone, roll.alone) <= Math.min(shapes.rows, roll.rows) * fewAlone) return [];
  return [
    `${shapes.alone} of ${shapes.rows} shapes met no row of the roll${keyOf(shapes)}, and ${roll.alone} of ${roll.rows} rows of the roll met no ` +
      `shape${keyOf(roll)}: all are records of their own. If ${shapeColumn}=${rollColumn} are parcels that are written in two ways, write them ` +
      'alike in one of the files, or name other columns with --on.',
  ];
}

const keyOf = ({ example }: JoinedSide): string => (example === null ? '' : ` (such as ${example})`);
