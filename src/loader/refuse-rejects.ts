import { AppError } from '../errors.js';
import { share } from './figures.js';
import type { Mapping } from './mapping/fields.js';
import type { RejectsFile } from './rejects-file.js';
import type { ReleaseCounts } from './release/release.store.js';

/** @throws AppError where no row was loaded, or a larger share of them rejected than an operator allows, saying why most of them were */
export function refuseTooManyRejects(
  { read, loaded, rejected }: ReleaseCounts,
  maxPercent: number,
  { reasons, path }: Pick<RejectsFile, 'reasons' | 'path'>,
  { apn }: Mapping,
): void {
  if (loaded > 0 && rejected * 100 <= read * maxPercent) return;
  const sentences = [
    `${rejected} of ${read} rows (${share(rejected, read)}) were rejected, more than the ${maxPercent}% that --max-rejects allows.`,
    ...reasons,
    ...(apn ? [] : ['No column of parcel numbers was found; --map apn=COLUMN names one.']),
    `Nothing was published; see ${path}.`,
  ];
  throw new AppError('invalid_request', sentences.join(' '));
}
