import type { ReleaseReport } from '../../releases/catalogue/release-report.js';
import type { Mapping } from '../columns/fields.js';

/** Where most acres contradict the shapes beside them: the unit is another, or the column. */
export function acresWarning({ filled, beyondReason }: Pick<ReleaseReport, 'filled' | 'beyondReason'>, { acres }: Mapping): string[] {
  const odd = beyondReason.acres ?? 0;
  const most = Math.min(filled.acres, filled.gis_acres);
  if (!acres || odd * 2 <= most) return [];
  const column = acres.columns.join('+');
  const [unit, other] = acres.unit ? ['square feet', 'acres'] : ['acres', 'sqft'];
  return [
    `${odd} of ${filled.acres} acres are less than a tenth or more than ten times those of their shapes: ${column} is taken for ${unit}; ` +
      `--map acres=${column}:${other} says ${acres.unit ? 'acres' : 'square feet'}.`,
  ];
}
