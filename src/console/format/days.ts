export const ownTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

// The Swedish locale writes a day as YYYY-MM-DD.
export const isoDay = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' });

/** The last days in the user's time zone, including today, oldest first. */
export function lastDays(count: number): string[] {
  const today = new Date();
  return Array.from({ length: count }, (_, index) =>
    isoDay.format(new Date(today.getFullYear(), today.getMonth(), today.getDate() - count + 1 + index)),
  );
}

/** The start of a day in the user's time zone, plus some days; a moment as it is. Null if it is neither. */
export function startOf(day: string | null, daysLater: number): string | null {
  if (isMoment(day)) return day;
  const [, year, month, date] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? []).map(Number);
  if (year === undefined || month === undefined || date === undefined) return null;
  // `Date` would turn February 31 into a day in March.
  if (new Date(year, month - 1, date).getDate() !== date) return null;
  return new Date(year, month - 1, date + daysLater).toISOString();
}

/** Whether a text is a moment rather than a day: links name a period of a bill exactly. */
export const isMoment = (text: string | null): text is string =>
  /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text ?? '') && !Number.isNaN(Date.parse(text ?? ''));
