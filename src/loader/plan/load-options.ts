import { isDay, visibleText } from '../../core/parameters.js';
import type { FetchedData } from '../../releases/catalogue/release-comparison.js';
import type { KeptOptions, ProfileVersion } from '../profile/profile.js';

/** The options of a load; each has a sensible default. */
export interface LoadOptions extends KeptOptions {
  /** `field=COLUMN`, `field=COLUMN+COLUMN`, `acres=COLUMN:sqft`; `field=` for none. */
  map?: string[];
  /** A tax roll beside the shapes. */
  join?: string;
  /** The part of the county that is loaded (a town): other parts stay as they are. */
  part?: string;
  /** Loads although the data seems to lie elsewhere. */
  force?: boolean;
  /** Findings that the operator accepts. Any other finding holds the release. */
  accept?: string[];
  /** Nothing is published when more rows are rejected. */
  maxRejectsPercent?: number;
  /** The data fetched for this load. Set by the load. */
  fetched?: FetchedData & { notes: string[] };
  /** `YYYY-MM-DD` */
  sourceDate?: string;
  /** Who started it, for the release's history. */
  startedBy?: string;
  /** Whether the county's profile is used (default: yes). */
  profile?: boolean;
  /** Options of the profile that no longer hold, for this load and later ones. */
  unset?: (keyof KeptOptions)[];
  /** The profile in use, whose options are among these. Set by the load. */
  known?: ProfileVersion;
  /** Publishes a release even if no record has changed, with its records in the order of the file. */
  republish?: boolean;
  /** The records are invented. */
  isSample?: boolean;
}

export const defaultMaxRejectsPercent = 5;

/** Whether a text can be the name of the data's source in records. */
export const isSourceName = (text: string): boolean => [...text].length <= 200 && visibleText.test(text);

export const sourceNameRule = 'must have 1 to 200 visible characters and no control characters';

/** Whether a text can be the address that the data came from: the county's page links to it. */
export const isSourceUrl = (text: string): boolean => /^https?:\/\/\S{1,1000}$/.test(text);

export const sourceUrlRule = 'must be an http or https address';

const dayMs = 24 * 60 * 60 * 1000;

/** Whether a text is a calendar day, tomorrow at the latest: east of here tomorrow has begun. */
export function isSourceDay(text: string): boolean {
  return isDay(text) && /^[12]/.test(text) && Date.parse(text) <= Date.now() + dayMs;
}

export const sourceDayRule = 'must be a date, YYYY-MM-DD, not in the future';
