import type { Candidate } from '../candidate.js';
import type { MappableField } from '../fields.js';
import { shareLike, shareOf } from '../sampled-column.js';
import { isLastLine } from './last-line.js';
import type { ReadColumn } from './party.js';

/**
 * Adds the columns of the same name with the numbers 2 and 3: if `OWNER_ADDR1` holds a care-of line, the street is in `OWNER_ADDR2`. The
 * first column may have no number. If a column with a 1 exists, the one without a number already holds the whole text.
 */
export function withNextLines(candidate: Candidate, columns: ReadColumn[], used: ReadonlySet<string>): Candidate {
  const goesOn = nextLine[candidate.field];
  const first = columns.find(({ name }) => name === candidate.columns[0])!;
  const stem = /^(.*\D)1$/.exec(first.plain)?.[1] ?? first.plain;
  const line = (number: number) => columns.find(({ plain }) => plain === `${stem}${number}`);
  if (!goesOn || candidate.columns.length > 1 || /\d$/.test(stem) || (stem === first.plain && line(1))) return candidate;
  const lines = [first.name];
  for (const number of [2, 3]) {
    const next = line(number);
    if (!next || used.has(next.name) || !goesOn(next)) break;
    lines.push(next.name);
  }
  return { ...candidate, columns: lines };
}

const nextLine: Partial<Record<MappableField, (column: ReadColumn) => boolean>> = {
  mail_address: (column) => shareOf(column, isLastLine) <= fewLastLines && shareLike(column, ofLine) >= 0.5,
  legal_description: ({ values }) => values.length > 0,
};

// Lines of addresses of different lengths also hold cities. Taking only the street is incomplete, but not wrong.
const fewLastLines = 0.1;
const ofLine = /\d|^(%|(c\/?o|attn|apt|unit|ste|suite)\b)/i;
