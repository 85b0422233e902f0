import type { Candidate } from '../candidate.js';
import type { FieldSource, MappableField, Mapping } from '../fields.js';
import type { NameReading } from '../names/read-name.js';
import { type SampledColumn, shareLike, shareOf } from '../sampled-column.js';
import { partyOf } from './address-pieces.js';
import type { Party, ReadColumn } from './classify-address-columns.js';
import { lastLineOf, linePartOf } from './last-line.js';
import { isForeignState } from './zip-states.js';

const fieldsOf: Record<Party, MappableField[]> = { mail: ['mail_city', 'mail_state', 'mail_zip'], situs: ['situs_city', 'situs_zip'] };
const sureness = 0.8;
/** Between an address and its last line there may be further lines of it. */
const maxGap = 3;
const fewForeign = 0.01;
const whyInOne = 'has city, state and ZIP code in one';

/** Whether most of what a column holds are last lines of addresses, and not states alone. */
export const hasLastLines = (column: SampledColumn): boolean =>
  shareOf(column, (text) => {
    const line = lastLineOf(text);
    return line !== null && (line.city ?? line.zip) !== null;
  }) > 0.5;

/** `CITY_STATE` has no ZIP codes. */
const hasPart = (column: SampledColumn, field: MappableField): boolean =>
  shareOf(column, (text) => lastLineOf(text)?.[linePartOf[field]!] != null) > 0;

/**
 * City, state and ZIP code of which no columns of their own were found, from a column that has them all; not where there are several such
 * columns and nothing tells which of them it is.
 */
export function lastLineCandidates(
  columns: ReadColumn[],
  found: ReadonlyMap<MappableField, Candidate>,
  given: Mapping,
  used: ReadonlySet<string>,
  state: string | undefined,
): Candidate[] {
  const columnsOf = (field: MappableField) => (given[field] ?? found.get(field))?.columns;
  const partyFound = ({ name }: ReadColumn) =>
    (['mail', 'situs'] as const).find((party) => fieldsOf[party].some((field) => columnsOf(field)?.includes(name)));
  const lines = columns.filter((column) => (!used.has(column.name) || partyFound(column)) && hasLastLines(column));
  const indexOf = (party: Party) => {
    const name = columnsOf(`${party}_address`)?.at(-1);
    return name === undefined ? null : columns.findIndex((column) => column.name === name);
  };
  const addresses = { mail: indexOf('mail'), situs: indexOf('situs') };
  return (['mail', 'situs'] as const).flatMap((party) => {
    const own = lines.flatMap((column) => {
      const taken = partyFound(column);
      const why = taken ? whyInOne : whyOf(column, columns, party, addresses, state);
      return why === null || (taken ?? party) !== party ? [] : { column, why };
    });
    const chosen = own.length > 1 ? nextTo(addresses[party], own, columns) : own[0];
    if (!chosen) return [];
    return fieldsOf[party]
      .filter((field) => !given[field] && !found.has(field) && hasPart(chosen.column, field))
      .map((field): Candidate => ({ field, columns: linesOf(chosen.column, columns, used), sureness, why: chosen.why }));
  });
}

/** Where some addresses have a line more than others, their last lines stand in several columns of one name: `ADDR2`, `ADDR3`. */
function linesOf(line: ReadColumn, columns: ReadColumn[], used: ReadonlySet<string>): string[] {
  const stem = /^(.*\D)\d$/.exec(line.plain)?.[1];
  const isAnother = (column: ReadColumn) =>
    stem !== undefined &&
    !used.has(column.name) &&
    /^\d$/.test(column.plain.replace(stem, '')) &&
    shareOf(column, (text) => lastLineOf(text)?.zip != null) > 0;
  return columns.filter((column) => column === line || isAnother(column)).map(({ name }) => name);
}

/** What may stand in the name of a last line beside whose it is: of a seller's, or of an owner before, there is more. */
const ofLines = new Set(
  'city state street zip line address mail owner taxpayer postal situs location property parcel full text formatted'.split(' '),
);

/** The readings of a name that a last line may have. */
const lineReadings = ({ readings }: ReadColumn): NameReading[] =>
  readings.filter(
    ({ concepts, unknown }) => unknown.every((part) => part.length === 1) && concepts.every((concept) => ofLines.has(concept)),
  );

function whyOf(
  column: ReadColumn,
  columns: ReadColumn[],
  party: Party,
  addresses: Record<Party, number | null>,
  state: string | undefined,
): string | null {
  const plain = lineReadings(column);
  if (plain.length === 0) return null;
  const isForeign = state !== undefined && shareOf(column, (text) => isOfOther(text, state)) > fewForeign;
  const named = plain.map(partyOf).find((each) => each !== null) ?? null;
  if (named !== null) return named === party ? `the name says whose, and ${whyInOne}` : null;
  const index = columns.indexOf(column);
  const before = (other: Party) => {
    const at = addresses[other];
    return at !== null && at < index && index - at <= maxGap ? at : -1;
  };
  const [own, others] = [before(party), before(party === 'mail' ? 'situs' : 'mail')];
  if (own <= others || (party === 'situs' && (isForeign || columns.slice(own + 1, index).some(isAddress)))) return null;
  return `it stands after the address, and ${whyInOne}`;
}

/** An address between the parcel's and the last line has it for its own. */
const isAddress = (column: SampledColumn): boolean => shareLike(column, /^\d+\s+\S+\s+\S/) > 0.5;

/**
 * Whose the last lines are that a column holds, as its name says; `nobody` where it does not say, undefined where it has none: the values
 * of `SCHOOL` may end in SD, and are no places in South Dakota.
 */
export function lastLinesOf(column: ReadColumn): Party | 'nobody' | undefined {
  const readings = lineReadings(column);
  if (readings.length === 0 || !hasLastLines(column)) return undefined;
  return readings.map(partyOf).find((party) => party !== null) ?? 'nobody';
}

/** Whether a last line is of another state than the county's. */
export function isOfOther(text: string, state: string): boolean {
  const line = lastLineOf(text);
  return line !== null && isForeignState(line.state, state);
}

function nextTo<Line extends { column: ReadColumn }>(address: number | null, lines: Line[], columns: ReadColumn[]): Line | undefined {
  if (address === null) return undefined;
  return lines.find(({ column }) => columns.indexOf(column) > address);
}

/** Parts of last lines are read as such also from a column that the operator has named. */
export function withLineParts(mapping: Mapping, columns: SampledColumn[]): Mapping {
  const sources = Object.entries(mapping) as [MappableField, FieldSource][];
  const isInLine = ([field, { columns: names }]: [MappableField, FieldSource]) =>
    linePartOf[field] !== undefined && names.some((name) => columns.some((column) => column.name === name && hasLastLines(column)));
  return {
    ...mapping,
    ...Object.fromEntries(sources.filter(isInLine).map(([field, source]) => [field, { ...source, unit: 'part of a last line' }])),
  };
}
