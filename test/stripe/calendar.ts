/** Months from an anchor as Stripe counts them: 31 January, 28 February, 31 March. */
export function addMonths(anchorSeconds: number, months: number): number {
  const anchor = new Date(anchorSeconds * 1000);
  const moved = new Date(anchor);
  moved.setUTCDate(1);
  moved.setUTCMonth(anchor.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(anchor.getUTCDate(), lastDay));
  return moved.getTime() / 1000;
}

/** The first boundary after `afterSeconds` of periods of so many months. */
export function nextBoundary(anchorSeconds: number, afterSeconds: number, each = 1): number {
  let months = each;
  while (addMonths(anchorSeconds, months) <= afterSeconds) months += each;
  return addMonths(anchorSeconds, months);
}
