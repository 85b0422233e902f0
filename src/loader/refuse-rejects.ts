import { AppError } from '../errors.js';
import type { ReleaseCounts } from './release/release.store.js';

/**
 * @param hints sentences that say more
 * @throws AppError where no row was loaded, or a larger share of them rejected than an operator allows
 */
export function refuseTooManyRejects({ read, loaded, rejected }: ReleaseCounts, maxPercent: number, hints: string[]): void {
  if (loaded > 0 && rejected * 100 <= read * maxPercent) return;
  const percent = ((rejected * 100) / read).toFixed(1);
  const share = `${rejected} of ${read} rows (${percent} %) were rejected, more than the ${maxPercent} % that --max-rejects allows.`;
  throw new AppError('invalid_request', [share, ...hints].join(' '));
}
