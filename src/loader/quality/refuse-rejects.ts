import { AppError } from '../../core/errors.js';
import { share } from '../../core/format-numbers.js';
import type { ReleaseCounts } from '../../releases/lifecycle/release.store.js';
import type { Mapping } from '../columns/fields.js';
import type { RejectsFile } from './rejects-file.js';

/**
 * @throws AppError where no row was loaded, or a larger share of them rejected than an operator allows, lines around the table apart; it
 *   says why most of them were
 */
export function refuseTooManyRejects(
  { read, loaded, rejected }: ReleaseCounts,
  maxPercent: number,
  { reasons, path, noParcelCount }: Pick<RejectsFile, 'reasons' | 'path' | 'noParcelCount'>,
  { apn }: Mapping,
): void {
  const parcels = rejected - noParcelCount;
  const areTooMany = parcels * 100 > read * maxPercent;
  if (loaded > 0 && !areTooMany) return;
  const sentences = [
    areTooMany
      ? `${parcels} of ${read} rows (${share(parcels, read)}) were rejected, more than the ${maxPercent}% that --max-rejects allows.`
      : `None of ${read} rows became a record.`,
    ...reasons,
    ...(apn ? [] : ['No column of parcel numbers was found; --map apn=COLUMN names one.']),
    `Nothing was published; see ${path}.`,
  ];
  throw new AppError('invalid_request', sentences.join(' '));
}
