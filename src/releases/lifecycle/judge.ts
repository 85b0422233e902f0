import { count, percent, share, shareOf } from '../../core/format-numbers.js';
import type { Finding, ReleaseComparison, ReleaseReport } from '../catalogue/release-report.js';
import { type RecordField, recordFields } from '../record-fields/record-fields.js';

const maxLoss = 0.05;
const maxOtherIds = 0.2;
const maxOtherPlaces = 0.2;
const maxBeyondReason = 0.05;
// For a new field: the acres of some counties are those of a share in the land.
const maxBeyondReasonAtFirst = 0.5;
const maxSpreadLost = 0.5;
// A field that few records had may lose them.
const minFilled = 0.01;
const maxFillLost = 0.5;

// These follow from other fields, which are judged.
const derived: RecordField[] = ['apn_normalized', 'longitude', 'gis_acres'];
const constant: RecordField[] = ['source', 'source_date', 'release_id'];

/** Findings against publishing a release: differences from the previous one that a year does not cause in a county. */
export function judge(records: number, report: Omit<ReleaseReport, 'findings' | 'accepted'>): Finding[] {
  const { comparison } = report;
  if (comparison === null) return [];
  return [
    ...loss(records, comparison),
    ...otherIds(records, comparison),
    ...otherPlaces(comparison),
    ...lessSpread(report.spread, comparison.spread),
    ...emptied(records, report.filled, comparison),
    ...jumps(comparison),
    ...beyondReason(report, comparison),
  ];
}

/** Whether an operator's text is the name of a finding. */
export const isFindingName = (name: string): boolean => {
  const [kind, field, ...more] = name.split(':');
  const isOfField = kind === 'empty' || kind === 'values';
  const isKind = isOfField || ['loss', 'ids', 'places', 'spread', 'parts'].includes(kind!);
  return isKind && (field === undefined || (isOfField && more.length === 0 && (recordFields as readonly string[]).includes(field)));
};

/** The findings that the operator has not accepted, by name or by kind (the word before the colon). */
export function unaccepted(findings: Finding[], accept: string[]): Finding[] {
  return findings.filter(({ name }) => !accept.includes(name) && !accept.includes(name.split(':')[0]!));
}

export const describeFindings = (findings: Finding[]): string => findings.map(({ name, message }) => `${message} (${name})`).join('; ');

function loss(records: number, { records: before }: ReleaseComparison): Finding[] {
  const lost = before - records;
  if (lost <= before * maxLoss) return [];
  return [
    { name: 'loss', message: `${count(records)} records in place of ${count(before)}: ${count(lost)} (${share(lost, before)}) fewer` },
  ];
}

/** Changed ids. Records that are only gone or only new do not count, so the smaller release is the measure. */
function otherIds(records: number, { records: before, gone, added }: ReleaseComparison): Finding[] {
  const smaller = Math.min(records, before);
  const other = smaller - (before - gone);
  if (other <= smaller * maxOtherIds) return [];
  const message = `${count(gone)} of the ${count(before)} parcel ids are gone, and ${count(added)} of the ${count(records)} are new`;
  return [{ name: 'ids', message }];
}

function otherPlaces({ unchanged, changed, examined, moved }: ReleaseComparison): Finding[] {
  const there = shareOf(moved, examined) * changed;
  if (there <= (unchanged + changed) * maxOtherPlaces) return [];
  const message = `${share(there, unchanged + changed)} of the shared records moved by more than 200 metres or have another house number`;
  return [{ name: 'places', message }];
}

/** Finds a release that covers only a part of the county. */
function lessSpread(spread: ReleaseReport['spread'], before: ReleaseReport['spread'] | null): Finding[] {
  if (before === null || spread.filled >= before.filled * maxSpreadLost) return [];
  const message = `records lie in ${share(spread.filled, spread.cells)} of the county's area, before in ${share(before.filled, before.cells)}`;
  return [{ name: 'spread', message }];
}

function emptied(records: number, filled: ReleaseReport['filled'], comparison: ReleaseComparison): Finding[] {
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
      message: `${share(filled[field], records)} of the records have ${field}, before ${share(before[field], comparison.records)}`,
    }));
}

function jumps({ unchanged, changed, examined, jumped }: ReleaseComparison): Finding[] {
  const there = shareOf(jumped, examined) * changed;
  if (there <= (unchanged + changed) * maxBeyondReason) return [];
  const message = `in ${share(there, unchanged + changed)} of the shared records, a land, improvement or total value is ten times what it was, or a tenth`;
  return [{ name: 'values', message }];
}

function beyondReason({ filled, beyondReason }: Pick<ReleaseReport, 'filled' | 'beyondReason'>, before: ReleaseComparison): Finding[] {
  return Object.entries(beyondReason as Record<RecordField, number>).flatMap(([name, odd]) => {
    const field = name as RecordField;
    // The record keeps acres that do not fit, but no other such value.
    const given = (fill: number, left: number) => (field === 'acres' ? Math.max(fill, left) : fill + left);
    const now = shareOf(odd, given(filled[field] ?? 0, odd));
    const was = shareOf(before.beyondReason[field] ?? 0, given(before.filled?.[field] ?? 0, before.beyondReason[field] ?? 0));
    const isNew = before.filled !== null && shareOf(before.filled[field], before.records) < minFilled;
    if (now <= (isNew ? maxBeyondReasonAtFirst : maxBeyondReason) || now <= was * 2) return [];
    return [{ name: `values:${field}`, message: `${percent(now)} of the values of ${field} are implausible, before ${percent(was)}` }];
  });
}
