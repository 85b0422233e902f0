/** The options of a load; each has a sensible default. */
export interface LoadOptions {
  /** `field=COLUMN`, `field=COLUMN+COLUMN`, `acres=COLUMN:sqft`; `field=` for none. */
  map?: string[];
  /** `COLUMN=VALUE`: rows for which each holds are loaded, the others aren't read. */
  where?: string[];
  /** A tax roll beside the shapes, and the column (or `SHAPECOLUMN=ROLLCOLUMN`) that both hold. */
  join?: string;
  on?: string;
  /** Which layer of the tax roll's file, or file of its archive. */
  joinLayer?: string;
  /** The coordinate system, when the file states none or a wrong one. */
  crs?: string;
  /** The part of the county that is loaded (a town): other parts stay as they are. */
  part?: string;
  /** Which file of an archive. */
  layer?: string;
  /** Loads although the data seems to lie elsewhere. */
  force?: boolean;
  /** The names of findings that the operator knows of: the release is published in spite of them. Others hold it back. */
  accept?: string[];
  /** Above this share of rejected rows nothing is published. */
  maxRejectsPercent?: number;
  source?: string;
  sourceUrl?: string;
  /** `YYYY-MM-DD` */
  sourceDate?: string;
  /** Who started it, for the release's history. */
  startedBy?: string;
  /** Whether what is mapped to no field is kept beside the records; else it is left out. */
  attributes?: boolean;
  /** The records are invented. */
  isSample?: boolean;
}

export const defaultMaxRejectsPercent = 5;
