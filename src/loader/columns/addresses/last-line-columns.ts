import type { Candidate } from '../candidate.js';
import type { FieldSource, MappableField, Mapping } from '../fields.js';
import type { NameReading } from '../names/read-name.js';
import { type Party, partyOf, type ReadColumn } from '../names/read-name.js';
import { type SampledColumn, shareLike, shareOf } from '../sampled-column.js';
import { lastLineOf, linePartOf, wholeAddressOf } from './last-line.js';
import { isForeignState } from './zip-states.js';

const fieldsOf: Record<Party, MappableField[]> = { mail: ['mail_city', 'mail_state', 'mail_zip'], situs: ['situs_city', 'situs_zip'] };
/** Further lines may stand between an address and its last line. */
const maxGap = 3;
const fewForeign = 0.01;
const combinedLineReason = 'has city, state and ZIP code in one value';

/** Whether most values are last lines of addresses, and not states alone. */
const hasLastLines = (column: SampledColumn): boolean =>
  shareOf(column, (text) => {
    const line = lastLineOf(text);
    return line !== null && (line.city ?? line.zip) !== null;
  }) > 0.5;

/** Whether most values are whole addresses. */
const hasWholeAddresses = (column: SampledColumn): boolean => shareOf(column, (text) => wholeAddressOf(text) !== null) > 0.5;

/** City, state and ZIP code from the column of the whole address, for fields without a column of their own. */
export function wholeAddressCandidates(columns: ReadColumn[], found: ReadonlyMap<MappableField, Candidate>, given: Mapping): Candidate[] {
  return (['mail', 'situs'] as const).flatMap((party) => {
    const names = (given[`${party}_address`] ?? found.get(`${party}_address`))?.columns ?? [];
    const column = columns.find(({ name }) => name === names[0]);
    if (names.length !== 1 || !column || !hasWholeAddresses(column)) return [];
    return fieldsOf[party]
      .filter((field) => !given[field] && !found.has(field))
      .map(
        (field): Candidate => ({
          field,
          columns: names,
          tier: 1,
          rank: [],
          unit: 'part of an address',
          why: 'the whole address is in one column',
        }),
      );
  });
}

/** Whether any value has the field's part: `CITY_STATE` has no ZIP codes. */
const hasPart = (column: SampledColumn, field: MappableField): boolean =>
  shareOf(column, (text) => lastLineOf(text)?.[linePartOf[field]!] != null) > 0;

/**
 * City, state and ZIP code from one column that has them all, for fields without a column of their own. Several such columns are used only
 * if the address before one of them tells which.
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
  const isLater = ({ name }: ReadColumn) => columnsOf('mail_address')?.slice(1).includes(name) ?? false;
  const isFree = (column: ReadColumn) => !used.has(column.name) || isLater(column);
  const lines = columns.filter((column) => (isFree(column) || partyFound(column)) && hasLastLines(column));
  const indexOf = (party: Party) => {
    const name = columnsOf(`${party}_address`)?.[0];
    return name === undefined ? null : columns.findIndex((column) => column.name === name);
  };
  const addresses = { mail: indexOf('mail'), situs: indexOf('situs') };
  return (['mail', 'situs'] as const).flatMap((party) => {
    const own = lines.flatMap((column) => {
      const taken = partyFound(column);
      const why = taken ? combinedLineReason : whyOf(column, party);
      return why === null || (taken ?? party) !== party ? [] : { column, why };
    });
    const chosen = own.length > 1 ? nextTo(addresses[party], own, columns) : own[0];
    if (!chosen) return [];
    return fieldsOf[party]
      .filter((field) => !given[field] && !found.has(field) && hasPart(chosen.column, field))
      .map(
        (field): Candidate => ({
          field,
          columns: linesOf(
            chosen.column,
            columns.filter((column) => column === chosen.column || isFree(column)),
          ),
          tier: 1,
          rank: [],
          why: chosen.why,
        }),
      );
  });

  function whyOf(column: ReadColumn, party: Party): string | null {
    const plain = lineReadings(column);
    if (plain.length === 0) return null;
    const isForeign = state !== undefined && shareOf(column, (text) => isOutOfState(text, state)) > fewForeign;
    const named = plain.map(partyOf).find((each) => each !== null) ?? null;
    if (named !== null) return named === party ? `the name says whose, and ${combinedLineReason}` : null;
    const index = columns.indexOf(column);
    const before = (other: Party) => {
      const at = addresses[other];
      return at !== null && at < index && index - at <= maxGap ? at : -1;
    };
    const [own, others] = [before(party), before(party === 'mail' ? 'situs' : 'mail')];
    if (own <= others || (party === 'situs' && (isForeign || columns.slice(own + 1, index).some(isAddress)))) return null;
    return `it follows the address, and ${combinedLineReason}`;
  }
}

/** Addresses of different lengths have their last lines in several numbered columns: `ADDR2`, `ADDR3`. */
function linesOf(line: ReadColumn, columns: ReadColumn[]): string[] {
  const stem = /^(.*\D)\d$/.exec(line.plain)?.[1];
  const isAnother = (column: ReadColumn) =>
    stem !== undefined && /^\d$/.test(column.plain.replace(stem, '')) && shareOf(column, (text) => lastLineOf(text)?.zip != null) > 0;
  return columns.filter((column) => column === line || isAnother(column)).map(({ name }) => name);
}

/** Concepts that a last line's name may have. Others point to a seller or a former owner. */
const ofLines = new Set(
  'city state street zip line address mail owner taxpayer postal situs location property parcel full text formatted'.split(' '),
);

/** The readings of a name that fit a last line. */
const lineReadings = ({ readings }: ReadColumn): NameReading[] =>
  readings.filter(
    ({ concepts, unknown }) => unknown.every((part) => part.length === 1) && concepts.every((concept) => ofLines.has(concept)),
  );

/** Such a column between the parcel's address and the last line would own the last line. */
const isAddress = (column: SampledColumn): boolean => shareLike(column, /^\d+\s+\S+\s+\S/) > 0.5;

/**
 * Whose last lines a column holds: `unknown` if its name does not say, undefined if it has none. The name must fit, because values of
 * `SCHOOL` may end in SD without being in South Dakota.
 */
export function lastLineParty(column: ReadColumn): Party | 'unknown' | undefined {
  const readings = lineReadings(column);
  if (readings.length === 0 || !hasLastLines(column)) return undefined;
  return readings.map(partyOf).find((party) => party !== null) ?? 'unknown';
}

/** Whether a last line is in another state than the county. */
export function isOutOfState(text: string, state: string): boolean {
  const line = lastLineOf(text);
  return line?.state != null && isForeignState(line.state, state);
}

function nextTo<Line extends { column: ReadColumn }>(address: number | null, lines: Line[], columns: ReadColumn[]): Line | undefined {
  if (address === null) return undefined;
  return lines.find(({ column }) => columns.indexOf(column) > address);
}

/** Marks fields that take their part of a last line, and addresses that end before it, also in columns that the operator chose. */
export function withLineParts(mapping: Mapping, columns: SampledColumn[]): Mapping {
  const sources = Object.entries(mapping) as [MappableField, FieldSource][];
  const isInLine = ([field, { columns: names }]: [MappableField, FieldSource]) =>
    linePartOf[field] !== undefined && names.some((name) => columns.some((column) => column.name === name && hasLastLines(column)));
  const marked: Mapping = {
    ...mapping,
    ...Object.fromEntries(sources.filter(isInLine).map(([field, source]) => [field, { ...source, unit: 'part of a last line' }])),
  };
  for (const party of ['mail', 'situs'] as const) {
    const address = marked[`${party}_address`];
    const parts = fieldsOf[party].filter((field) => address && marked[field]?.columns.join('+') === address.columns.join('+'));
    if (address?.columns.length !== 1 || parts.length === 0 || marked[parts[0]!]!.unit === 'part of a last line') continue;
    marked[`${party}_address`] = { ...address, unit: 'before a last line' };
    for (const field of parts) marked[field] = { ...marked[field]!, unit: 'part of an address' };
  }
  return marked;
}
