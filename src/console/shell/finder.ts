import type { Choice } from '../ui/combobox.js';

export interface NavigationEntry {
  label: string;
  href: string;
}

export interface Found extends Choice {
  path: string;
}

/** What can be found in a console beside its pages. */
export interface Finder {
  countyPath: (fips: string) => string;
  entryPath: (id: string) => string;
  /** What only this console has: tokens, accounts. */
  useFound: (text: string) => Found[];
}
