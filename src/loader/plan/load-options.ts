import { isDay, tellingText } from '../../core/parameters.js';

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

/** Whether a text can be the name of the data's source in records. */
export const isSourceName = (text: string): boolean => [...text].length <= 200 && tellingText.test(text);

export const sourceNameRule = 'must say something in 200 characters at the most, without control characters';

/** Whether a text can be the address that the data came from: the county's page links to it. */
export const isSourceUrl = (text: string): boolean => /^https?:\/\/\S{1,1000}$/.test(text);

export const sourceUrlRule = 'must be an http address';

const dayMs = 24 * 60 * 60 * 1000;

/** Whether a text is a calendar day, tomorrow at the latest: east of here tomorrow has begun. */
export function isSourceDay(text: string): boolean {
  return isDay(text) && /^[12]/.test(text) && Date.parse(text) <= Date.now() + dayMs;
}

export const sourceDayRule = 'must be a day of the calendar and not in the future, as YYYY-MM-DD';
