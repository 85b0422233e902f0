export const ownTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

// In the Swedish locale a day is written as YYYY-MM-DD.
const isoDay = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' });

/** The last days of the reader's calendar, today included, oldest first. */
export function lastDays(count: number): string[] {
  const today = new Date();
  return Array.from({ length: count }, (_, index) =>
    isoDay.format(new Date(today.getFullYear(), today.getMonth(), today.getDate() - count + 1 + index)),
  );
}
