export const ownTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

// The Swedish locale writes a day as YYYY-MM-DD.
const isoDay = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' });

/** The last days in the user's time zone, including today, oldest first. */
export function lastDays(count: number): string[] {
  const today = new Date();
  return Array.from({ length: count }, (_, index) =>
    isoDay.format(new Date(today.getFullYear(), today.getMonth(), today.getDate() - count + 1 + index)),
  );
}

/** The start of a day in the user's time zone, plus some days. Null if it is no day. */
export function startOf(day: string | null, daysLater: number): string | null {
  const [, year, month, date] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? []).map(Number);
  if (year === undefined || month === undefined || date === undefined) return null;
  // `Date` would turn February 31 into a day in March.
  if (new Date(year, month - 1, date).getDate() !== date) return null;
  return new Date(year, month - 1, date + daysLater).toISOString();
}
