import { isDay } from '../../core/parameters.js';

const dayMs = 24 * 60 * 60 * 1000;

/** Whether a text is a day that data can be of: one of the calendar, and tomorrow at the latest, which has begun east of here. */
export function isSourceDay(text: string): boolean {
  return isDay(text) && /^[12]/.test(text) && Date.parse(text) <= Date.now() + dayMs;
}

export const sourceDayRule = 'must be a day of the calendar and not in the future, as YYYY-MM-DD';
