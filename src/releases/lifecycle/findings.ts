import { count, percent, share, shareOf } from '../../core/format-numbers.js';
import type { ReleaseComparison } from '../catalogue/release-comparison.js';
import type { Finding, ReleaseReport } from '../catalogue/release-report.js';
import { type RecordField, recordFields } from '../record-fields/record-fields.js';

// All limits are shares.
const maxLoss = 0.05;
const maxChangedIds = 0.2;
const maxMoved = 0.2;
const maxJumps = 0.05;
const maxOutliers = 0.05;
// In a new field. Some counties publish the acres of a share in the land, which do not fit the shape.
const maxOutliersInNewField = 0.5;
const maxSpreadLost = 0.5;
// Fields with fewer values may lose all of them.
const minFilled = 0.01;
const maxFillLost = 0.5;

// Derived from other fields, which are checked themselves.
const derived: RecordField[] = ['apn_normalized', 'longitude', 'gis_acres'];
const constant: RecordField[] = ['source', 'source_date', 'release_id'];

/**
 * Finds differences from the previous release that are too large for a year's changes in a county. A county's first release only has to have
 * parcel numbers.
 */
export function findRegressions(records: number, report: Omit<ReleaseReport, 'findings' | 'accepted'>): Finding[] {
  const { comparison } = report;
  if (comparison === null) return findMissingNumbers(records, report.filled);
  return [
    ...findLoss(records, comparison),
    ...findChangedIds(records, comparison),
    ...findMoves(comparison),
    ...findSpreadLoss(report.spread, comparison.spread),
    ...findEmptiedFields(records, report.filled, comparison),
    ...findJumps(comparison),
    ...findOutliers(report, comparison),
  ];
}

/** Whether a text is the name or the kind of a finding. */
export const isFindingName = (name: string): boolean => {
  const [kind, field, ...more] = name.split(':');
  const isOfField = ['empty', 'values', 'columns'].includes(kind!);
  const isKind = isOfField || ['loss', 'ids', 'places', 'spread', 'parts', 'rows', 'cut'].includes(kind!);
  return isKind && (field === undefined || (isOfField && more.length === 0 && (recordFields as readonly string[]).includes(field)));
};

/** The findings that the operator accepted neither by name nor by kind (the word before the colon). */
export function unaccepted(findings: Finding[], accept: string[]): Finding[] {
  return findings.filter(({ name }) => !accept.includes(name) && !accept.includes(name.split(':')[0]!));
}

export const describeFindings = (findings: Finding[]): string => findings.map(({ name, message }) => `${message} (${name})`).join('; ');

// Of a later release, `findEmptiedFields` says so.
function findMissingNumbers(records: number, { apn = 0 }: ReleaseReport['filled']): Finding[] {
  if (apn > 0) return [];
  return [{ name: 'empty:apn', message: `none of the ${count(records)} records has a parcel number` }];
}

function findLoss(records: number, { records: before }: ReleaseComparison): Finding[] {
  const lost = before - records;
  if (lost <= before * maxLoss) return [];
  return [
    { name: 'loss', message: `${count(records)} records instead of ${count(before)}: ${count(lost)} (${share(lost, before)}) fewer` },
  ];
}

/** Finds changed ids. Pure losses and pure additions do not count, so the share is of the smaller release. */
function findChangedIds(records: number, { records: before, gone, added, sameNumbers }: ReleaseComparison): Finding[] {
  const smaller = Math.min(records, before);
  const changed = smaller - (before - gone);
  if (changed <= smaller * maxChangedIds) return [];
  const message =
    `${count(gone)} of the ${count(before)} parcel ids are gone, and ${count(added)} of the ${count(records)} are new` +
    (sameNumbers ? `; ${count(sameNumbers)} of these are the same parcel numbers, with new ids since a part's name is in them` : '');
  return [{ name: 'ids', message }];
}

function findMoves({ unchanged, changed, examined, moved }: ReleaseComparison): Finding[] {
  const moves = shareOf(moved, examined) * changed;
  if (moves <= (unchanged + changed) * maxMoved) return [];
  const message = `${share(moves, unchanged + changed)} of the shared records moved by more than 200 meters or changed their house number`;
  return [{ name: 'places', message }];
}

/** Finds a release that covers only a part of the county. */
function findSpreadLoss(spread: ReleaseReport['spread'], before: ReleaseReport['spread'] | null): Finding[] {
  if (before === null || spread.filled >= before.filled * maxSpreadLost) return [];
  const message = `records cover ${share(spread.filled, spread.cells)} of the county's area, previously ${share(before.filled, before.cells)}`;
  return [{ name: 'spread', message }];
}

function findEmptiedFields(records: number, filled: ReleaseReport['filled'], comparison: ReleaseComparison): Finding[] {
  const before = comparison.filled;
  if (before === null) return [];
  return (Object.keys(filled) as RecordField[])
    .filter((field) => !derived.includes(field) && !constant.includes(field))
    .filter((field) => {
      const was = shareOf(before[field], comparison.records);
      return was >= minFilled && shareOf(filled[field], records) < was * maxFillLost;
    })
    .map((field) => ({
      name: `empty:${field}`,
      message: `${share(filled[field], records)} of the records have ${field}, previously ${share(before[field], comparison.records)}`,
    }));
}

function findJumps({ unchanged, changed, examined, jumped }: ReleaseComparison): Finding[] {
  const jumps = shareOf(jumped, examined) * changed;
  if (jumps <= (unchanged + changed) * maxJumps) return [];
  const message = `in ${share(jumps, unchanged + changed)} of the shared records, a land, improvement or total value grew or shrank at least tenfold`;
  return [{ name: 'values', message }];
}

function findOutliers({ filled, beyondReason }: Pick<ReleaseReport, 'filled' | 'beyondReason'>, before: ReleaseComparison): Finding[] {
  return Object.entries(beyondReason as Record<RecordField, number>).flatMap(([name, odd]) => {
    const field = name as RecordField;
    // Records keep implausible acres, but no other implausible value.
    const given = (fill: number, left: number) => (field === 'acres' ? Math.max(fill, left) : fill + left);
    const now = shareOf(odd, given(filled[field] ?? 0, odd));
    const was = shareOf(before.beyondReason[field] ?? 0, given(before.filled?.[field] ?? 0, before.beyondReason[field] ?? 0));
    const isNew = before.filled !== null && shareOf(before.filled[field], before.records) < minFilled;
    if (now <= (isNew ? maxOutliersInNewField : maxOutliers) || now <= was * 2) return [];
    return [{ name: `values:${field}`, message: `${percent(now)} of the values of ${field} are implausible, previously ${percent(was)}` }];
  });
}
