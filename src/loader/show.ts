import { count, share } from '../core/format-numbers.js';
import { printable } from '../core/printable.js';
import type { ReleasePart } from '../releases/catalogue/current-release.js';
import type { ParcelReleaseEntity } from '../releases/catalogue/parcel-release.entity.js';
import { coversLittle } from '../releases/catalogue/release-report.js';
import type { CountyToLoad } from '../releases/lifecycle/county-lock.js';
import type { DeadLoad } from '../releases/lifecycle/dead-loads.js';
import { shownState } from '../releases/lifecycle/release.store.js';
import { describeQuestion } from './columns/questions.js';
import type { LoadPreview } from './load-answers.js';
import type { LoadProgress, LoadSummary } from './load-county.js';
import { describeComparison, describeReport } from './show-report.js';

/** The mapping and the other decisions of a load, as text for the operator. */
export function describePreview(preview: Omit<LoadPreview, 'refusal' | 'profile'>, refusal: string | null = null): string {
  const { county, format, crs, rowEstimate, join, mapping, questions, unused, faults, sampledRows, warnings } = preview;
  return [
    `${county.name}, ${county.state} (${county.fips}): ${format}, ${crs}, ${sampledRows < rowEstimate ? 'about ' : ''}${count(rowEstimate)} rows`,
    ...(join
      ? [
          `  joined on ${join.shapeColumn}=${join.rollColumn}: ${join.matched} of ${join.rollRows} rows of the roll compared so far match a shape`,
        ]
      : []),
    ...mapping.map(
      ({ field, columns, unit, samples, why, sureness }) =>
        `  ${field.padEnd(18)} ${`${columns.join('+')}${unit ? ` (${unit})` : ''}`.padEnd(26)} ${samples.map(short).join(' | ') || '(blank so far)'}  [${sureness}: ${why}]`,
    ),
    ...questions.map((question) => `  ${describeQuestion(question)} Set it with --map ${question.field}=COLUMN.`),
    ...(unused.length > 0 ? [`  not used: ${unused.join(', ')}`] : []),
    ...faults.map(({ reason, rows }) => `  ${rows} of the first ${sampledRows} rows will be rejected: ${reason}`),
    ...warnings.map((warning) => `  note: ${warning}`),
    ...(refusal ? [`  would be refused: ${refusal}`] : []),
  ]
    .map(printable)
    .join('\n');
}

export function describeSummary(summary: LoadSummary): string {
  const { county, releaseId, state, parts, report, read, loaded, rejected, withoutApn, withoutGeometry, warnings, seconds } = summary;
  return [
    state === 'unchanged'
      ? `No record of ${county.name}, ${county.state} has changed, so its current release stays and nobody pays again (checked as release ${releaseId}).`
      : `Release ${releaseId} of ${county.name}, ${county.state} is ${state}.`,
    ...(state !== 'unchanged' && parts === null && coversLittle(report)
      ? [
          `  PARTIAL: these records lie in ${share(report.spread.filled, report.spread.cells)} of the county's area, so it is sold as partial. ` +
            'If the files cover one town, load them with --part NAME so that customers see which one.',
        ]
      : []),
    `  ${count(read)} rows read = ${count(loaded)} loaded + ${count(rejected)} rejected${rejected > 0 ? ` (printed by rejects --release ${releaseId})` : ''}`,
    `  ${count(withoutGeometry)} without geometry, ${count(withoutApn)} without a parcel number`,
    `  ${seconds.toFixed(1)} s, ${count(Math.round(loaded / seconds))} records per second`,
    ...describeParts(parts),
    ...describeReport(report, loaded),
    ...warnings.map((warning) => `  note: ${warning}`),
  ]
    .map(printable)
    .join('\n');
}

export function describeReleases(county: CountyToLoad, releases: ParcelReleaseEntity[]): string {
  const lines = releases.flatMap((release) => {
    const state = release.id === county.currentReleaseId ? 'current' : release.state === 'published' ? 'superseded' : shownState(release);
    const when = `${(release.publishedAt ?? release.startedAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
    const part = release.part === null ? '' : `${release.part}: `;
    const counts = `${count(release.loadedCount)} records, ${count(release.rejectedCount)} rejected`;
    return [
      `  ${String(release.id).padStart(5)}  ${state.padEnd(10)}  ${when}  ${counts}  ${part}${release.format}, ${release.source}${release.profileVersion === null ? '' : `, profile ${release.profileVersion}`}`,
      ...describeParts(release.parts, releases).map((line) => `       ${line}`),
      ...(release.report?.comparison
        ? describeComparison(release.report.comparison, release.loadedCount - release.keptCount).map((line) => `       ${line}`)
        : []),
      ...(release.report?.findings ?? []).map(({ name, message }) => `         ${name}: ${message}`),
      ...(release.failure ? [`         ${release.failure}`] : []),
    ].map(printable);
  });
  return [`${county.name}, ${county.state} (${county.fips}): ${county.status}`, ...(lines.length > 0 ? lines : ['  no releases'])].join(
    '\n',
  );
}

function describeParts(parts: ReleasePart[] | null, releases: ParcelReleaseEntity[] = []): string[] {
  return (parts ?? []).map(({ name, records, loadedBy }) => {
    const load = releases.find(({ id }) => id === loadedBy);
    const attribution = load ? `, ${load.source}${load.sourceDate ? ` of ${load.sourceDate}` : ''}` : '';
    return `  part ${name}: ${count(records)} records by release ${loadedBy}${attribution}`;
  });
}

/** A release for `--json`. */
export function releaseJson(release: ParcelReleaseEntity, county: CountyToLoad): object {
  return {
    id: release.id,
    state: shownState(release),
    is_current: release.id === county.currentReleaseId,
    part: release.part,
    source: release.source,
    source_date: release.sourceDate,
    format: release.format,
    read_count: release.readCount,
    loaded_count: release.loadedCount,
    rejected_count: release.rejectedCount,
    kept_count: release.keptCount,
    parts: release.parts?.map(({ name, loadedBy, records }) => ({ name, loaded_by: loadedBy, records })) ?? null,
    report: release.report,
    failure: release.failure,
    profile_version: release.profileVersion,
    started_by: release.startedBy,
    started_at: release.startedAt,
    published_at: release.publishedAt,
    superseded_at: release.supersededAt,
  };
}

export function describeDeadLoad({ id, countyFips, startedAt }: DeadLoad): string {
  return `Release ${id} of ${countyFips}, started ${startedAt.toISOString()}, died while loading and is marked as failed. Nothing was published.`;
}

/** @param seconds since the first row */
export function describeProgress({ loaded, bytesRead, byteLength }: LoadProgress, seconds: number): string {
  const secondsLeft = bytesRead > 0 ? Math.ceil((seconds * Math.max(0, byteLength - bytesRead)) / bytesRead) : 0;
  const left = secondsLeft < 60 ? `${secondsLeft} s` : `${Math.floor(secondsLeft / 60)} min ${secondsLeft % 60} s`;
  return `${count(loaded)} records, ${count(Math.round(loaded / seconds))}/s, ${left} left`;
}

function short(sample: string): string {
  const line = sample.replace(/\s+/g, ' ');
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
