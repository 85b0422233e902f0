/** Months from an anchor, in ms since 1970, as Stripe counts them: 31 January, 28 February, 31 March. */
export function monthsAfter(anchorMs: number, months: number): number {
  const at = new Date(anchorMs);
  const day = at.getUTCDate();
  at.setUTCDate(1);
  at.setUTCMonth(at.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  return at.setUTCDate(Math.min(day, lastDay));
}

export const addMonths = (anchorSeconds: number, months: number): number => monthsAfter(anchorSeconds * 1000, months) / 1000;

/** The first boundary after `afterSeconds` of periods of so many months. */
export function nextBoundary(anchorSeconds: number, afterSeconds: number, each = 1): number {
  let months = each;
  while (addMonths(anchorSeconds, months) <= afterSeconds) months += each;
  return addMonths(anchorSeconds, months);
}
