import { count } from '../../core/format-numbers.js';
import type { CurrentRelease } from '../../releases/catalogue/current-release.js';
import type { Finding } from '../../releases/catalogue/release-report.js';

/** What speaks against loading a part of a county that was loaded as a whole, or the whole of one that was loaded in parts. */
export function partsFinding(part: string | null, current: CurrentRelease | undefined): Finding[] {
  if (current === undefined || current.isSample || (part === null) === (current.parts === null)) return [];
  const message =
    current.parts === null
      ? `the county was loaded as a whole: ${part} alone would take the place of its ${count(current.records)} records`
      : `the county was loaded in parts: this file would take the place of ${current.parts.map(({ name }) => name).join(', ')}`;
  return [{ name: 'parts', message }];
}
