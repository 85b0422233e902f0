import type { Candidate } from '../candidate.js';
import type { MappableField } from '../fields.js';
import { shareLike, shareOf } from '../sampled-column.js';
import type { ReadColumn } from './classify-address-columns.js';
import { isLastLine } from './last-line.js';

/**
 * A text goes on in the columns of its name with the numbers 2 and 3: where `OWNER_ADDR1` says in whose care, the street is in
 * `OWNER_ADDR2`. The first may have no number, where none has a 1: that would be the first line of what the other has whole.
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

// The lines of addresses of which some have one more than others hold cities, too: the street alone is less, and not wrong.
const fewLastLines = 0.1;
const ofLine = /\d|^(%|(c\/?o|attn|apt|unit|ste|suite)\b)/i;
