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

/** The first month's boundary after `afterSeconds`. */
export function nextBoundary(anchorSeconds: number, afterSeconds: number): number {
  let months = 1;
  while (addMonths(anchorSeconds, months) <= afterSeconds) months++;
  return addMonths(anchorSeconds, months);
}
