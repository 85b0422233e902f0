import type { Candidate } from '../candidate.js';
import type { MappableField } from '../fields.js';
import type { ReadColumn } from '../names/read-name.js';
import { shareLike, shareOf } from '../sampled-column.js';
import { isLastLine } from './last-line.js';

/**
 * Adds the columns of the same name with the numbers 2 and 3: if `OWNER_ADDR1` holds a care-of line, the street is in `OWNER_ADDR2`. The
 * first column may have no number. If a column with a 1 exists, the one without a number already holds the whole text. Numbers that cities or
 * ZIP codes have as well are those of several owners.
 */
export function withNextLines(candidate: Candidate, columns: ReadColumn[], used: ReadonlySet<string>): Candidate {
  const goesOn = nextLine[candidate.field];
  const first = columns.find(({ name }) => name === candidate.columns[0])!;
  const stem = /^(.*\D)1$/.exec(first.plain)?.[1] ?? first.plain;
  // GDAL calls columns whose names dBASE cuts to the same ten characters `TAXPAYER_A`, `TAXPAYER_1`, `TAXPAYER_2`.
  const cut = first.name.length === 10 && /\D$/.test(first.name) ? first.name.slice(0, 8) : null;
  const line = (number: number) =>
    columns.find(({ plain }) => plain === `${stem}${number}`) ??
    columns.find(({ name }, i) => cut !== null && name === `${cut}_${number - 1}` && i > columns.indexOf(first));
  const isWhole = stem === first.plain && columns.some(({ plain }) => plain === `${stem}1`);
  if (!goesOn || candidate.columns.length > 1 || /\d$/.test(stem) || isWhole || areOfOwners(columns)) return candidate;
  const lines = [first.name];
  for (const number of [2, 3]) {
    const next = line(number);
    if (!next || used.has(next.name) || !goesOn(next)) break;
    lines.push(next.name);
  }
  return { ...candidate, columns: lines };
}

const nextLine: Partial<Record<MappableField, (column: ReadColumn) => boolean>> = {
  // A record's address leaves out the line with the city, which comes sooner in short addresses.
  mail_address: (column) => shareLike(column, ofLine) >= 0.5 && shareOf(column, isLastLine) < nearlyAll,
  legal_description: ({ values }) => values.length > 0,
};

const nearlyAll = 0.9;
const ofLine = /\d|^(%|(c\/?o|attn|apt|unit|ste|suite)\b)/i;

const areOfOwners = (columns: ReadColumn[]): boolean =>
  [1, 2].every((number) =>
    columns.some(({ readings }) =>
      readings.some(({ concepts, ordinal }) => ordinal === number && concepts.some((concept) => concept === 'city' || concept === 'zip')),
    ),
  );
