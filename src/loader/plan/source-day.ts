const dayMs = 24 * 60 * 60 * 1000;

/** Whether a text is a day that data can be of: one of the calendar, and tomorrow at the latest, which has begun east of here. */
export function isSourceDay(text: string): boolean {
  if (!/^[12]\d{3}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(text);
  // Date.parse takes the 31st of February for a day in March.
  return time <= Date.now() + dayMs && new Date(time).toISOString().startsWith(text);
}

export const sourceDayRule = 'must be a day of the calendar and not in the future, as YYYY-MM-DD';
