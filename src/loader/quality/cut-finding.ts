import { count } from '../../core/format-numbers.js';
import type { Finding } from '../../releases/catalogue/release-report.js';
import type { LoadOptions } from '../plan/load-options.js';
import type { LoadPlan } from '../plan/plan-load.js';

/** The finding of files that say themselves that they are a part of something: a page of a service, or a cut answer. */
export function cutFinding({ sources }: LoadPlan, { where = [] }: LoadOptions, rowsRead: number): Finding[] {
  const whole = Math.max(...sources.map(({ source }) => source.wholeRows ?? 0));
  if (rowsRead >= whole || where.length > 0) return [];
  const rows =
    whole === Number.POSITIVE_INFINITY ? 'that its server left out rows (exceededTransferLimit)' : `that there are ${count(whole)} rows`;
  return [{ name: 'cut', message: `the file says ${rows}, and has ${count(rowsRead)}: fetch all of them` }];
}
