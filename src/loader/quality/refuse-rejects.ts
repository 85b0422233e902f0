import { refusal } from '../../core/errors.js';
import { share } from '../../core/format-numbers.js';
import type { ReleaseCounts } from '../../releases/lifecycle/release.store.js';
import type { Mapping } from '../columns/fields.js';
import { isNonParcelReason } from '../formats/tables/footer-rows.js';
import { defaultMaxRejectsPercent } from '../plan/load-options.js';
import { byFrequency, frequentReasons } from '../values/notes.js';

// Each unreadable shape may have its own reason.
const countedReasons = 1000;

/** Counts rejected rows by reason. */
export class RejectTally {
  private readonly rowsByReason = new Map<string, number>();
  /** How many of the rows are titles, footers and the like, not parcels. */
  noParcelCount = 0;

  add(reason: string): void {
    const rows = this.rowsByReason.get(reason) ?? 0;
    if (rows > 0 || this.rowsByReason.size < countedReasons) this.rowsByReason.set(reason, rows + 1);
    if (isNonParcelReason(reason)) this.noParcelCount++;
  }

  /** In descending order of rows. */
  get reasons(): { reason: string; rows: number }[] {
    return byFrequency(this.rowsByReason).map(([reason, rows]) => ({ reason, rows }));
  }
}

const ofOtherCounties =
  'If the file covers more than one county, load it for each one with --max-rejects 100, which leaves out the rows of the others.';

/**
 * @param releaseId the release with which the rejected rows are kept; null if they are not
 * @param fitting names a coordinate system that fits the county
 * @throws AppError when no row was loaded, or more were rejected than the operator allows, by default a twentieth or one row; it names the
 *   most frequent reasons. Titles and footers of a table don't count.
 */
export function refuseTooManyRejects(
  { read, loaded, rejected }: ReleaseCounts,
  allowedPercent: number | undefined,
  { reasons: counted, noParcelCount }: RejectTally,
  releaseId: number | null,
  { apn }: Mapping,
  fitting: () => string,
): void {
  const maxPercent = allowedPercent ?? defaultMaxRejectsPercent;
  const parcels = rejected - noParcelCount;
  const areTooMany = parcels * 100 > read * maxPercent && !(parcels === 1 && allowedPercent === undefined);
  if (loaded > 0 && !areTooMany) return;
  const reasons = frequentReasons(counted, 'rejected');
  const sentences = [
    areTooMany
      ? `${parcels} of ${read} rows (${share(parcels, read)}) were rejected, more than the ${maxPercent}% that --max-rejects allows.`
      : `None of the ${read} rows became a record.`,
    ...reasons,
    ...(reasons.some((reason) => reason.includes('Lies in ')) && areTooMany ? [ofOtherCounties] : []),
    ...(apn ? [] : ['No column of parcel numbers was found. Set it with --map apn=COLUMN.']),
    ...(releaseId === null ? [] : [`Nothing was published; the rejected rows are kept with release ${releaseId}.`]),
  ];
  throw refusal(sentences.join(' ') + fitting());
}
