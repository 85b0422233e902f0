import { count, megabytes, share } from '../core/format-numbers.js';
import type { FetchedData, ReleaseComparison } from '../releases/catalogue/release-comparison.js';
import type { ReleaseReport } from '../releases/catalogue/release-report.js';
import { describeFindings, unaccepted } from '../releases/lifecycle/findings.js';
import { recordFields } from '../releases/record-fields/record-fields.js';

/** A release's report, as lines for the operator. */
export function describeReport(report: ReleaseReport, records: number): string[] {
  const { fetched, comparison, findings, accepted, beyondReason, spread, questions, unused } = report;
  return [
    ...(fetched ? describeFetched(fetched) : []),
    `  covers ${share(spread.filled, spread.cells)} of a grid over the county's land${
      comparison?.spread ? `, previously ${share(comparison.spread.filled, comparison.spread.cells)}` : ''
    }`,
    ...(comparison ? describeComparison(comparison, records) : []),
    ...describeFill(report, records),
    ...Object.entries(beyondReason).map(([field, values]) => `  ${count(values)} values of ${field} are implausible`),
    ...questions.map((question) => `  ${question}`),
    ...(questions.length > 0 ? ['  set such a field with --map FIELD=COLUMN'] : []),
    ...(unused.length > 0 ? [`  not used: ${unused.join(', ')}`] : []),
    ...findings.map(({ name, message }) => `  ${accepted.includes(name) ? 'accepted' : 'held for'} ${name}: ${message}`),
  ];
}

function describeFetched({ url, at, records, bytes, sha256, sourceDate }: FetchedData): string[] {
  const counted = records === null ? '' : `${count(records)} records, `;
  return [
    `  fetched from ${url} at ${at}`,
    `  ${counted}${megabytes(bytes)}, ${sourceDate === null ? 'the source states no date' : `last changed at the source on ${sourceDate}`}, SHA-256 ${sha256}`,
  ];
}

/** The message of a held load: the findings and the next commands. */
export function describeHeld(releaseId: number, { findings, accepted }: ReleaseReport): string {
  const open = unaccepted(findings, accepted);
  const names = findings.map(({ name }) => name).join(',');
  return (
    `Nothing was published: ${describeFindings(open)}. Release ${releaseId} is held. ` +
    `To publish it: publish --release ${releaseId} --accept ${names} (or load with --accept ${names}). To discard it: discard --release ${releaseId}.`
  );
}

export function describeComparison(comparison: ReleaseComparison, records: number): string[] {
  const { releaseId, records: before, added, gone, sameNumbers, changed, unchanged, examined, moved, jumped } = comparison;
  const { goneNumbers, addedNumbers } = comparison;
  const examples = (numbers: (string | null)[]) => (numbers.length > 0 ? ` (${numbers.map((apn) => apn ?? 'none').join(', ')} …)` : '');
  return [
    `  compared with release ${releaseId}: ${count(records)} records, previously ${count(before)}`,
    `  parcel ids: ${count(added)} added${examples(addedNumbers)}, ${count(gone)} gone${examples(goneNumbers)}, ${count(changed)} changed, ${count(unchanged)} unchanged`,
    ...(sameNumbers ? [`  ${count(sameNumbers)} parcel numbers are both gone and added, because ids contain the part's name`] : []),
    ...(changed > 0
      ? [
          `  of ${count(examined)} changed: ${count(moved)} moved, ${count(jumped)} have a value that grew or shrank tenfold or more${changedFields(comparison)}`,
        ]
      : []),
  ];
}

function changedFields({ changedFields }: ReleaseComparison): string {
  const fields = Object.entries(changedFields).toSorted(([, one], [, other]) => other - one);
  return fields.map(([field, values]) => `; ${field} ${count(values)}`).join('');
}

/** How full each field is, with the share before if it is known. Fields that are always full or always empty share a line. */
function describeFill({ filled, comparison }: ReleaseReport, records: number): string[] {
  const rows = recordFields.map((field) => {
    const now = share(filled[field], records);
    const before = comparison?.filled ? share(comparison.filled[field], comparison.records) : now;
    return { field, text: before === now ? now : `${before} → ${now}` };
  });
  const all = (text: string) => rows.filter((row) => row.text === text).map(({ field }) => field);
  const [full, empty] = [all('100.0%'), all('0.0%')];
  return [
    ...rows
      .filter(({ field }) => !full.includes(field) && !empty.includes(field))
      .map(({ field, text }) => `  ${field.padEnd(18)} ${text} filled`),
    ...(full.length > 0 ? [`  always filled: ${full.join(', ')}`] : []),
    ...(empty.length > 0 ? [`  always empty: ${empty.join(', ')}`] : []),
  ];
}
