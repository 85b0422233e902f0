import { useFilters } from '../hooks/use-filters.js';

/**
 * The filters of a ledger from the URL. Invalid days are ignored. Null while the county code is incomplete: ignoring the code would show
 * the whole ledger as if it were the result.
 */
export function useLedgerFilter() {
  const { get } = useFilters();
  const county = get('county');
  if (county !== null && !/^\d{5}$/.test(county)) return null;
  return {
    search: get('search'),
    tokenId: get('token'),
    kind: get('kind'),
    countyFips: county,
    from: startOf(get('from'), 0),
    to: startOf(get('to'), 1),
    before: get('before'),
  };
}

/** A moment, as links have it that name a period exactly, or the start of a day in the user's time zone, plus some days. */
function startOf(day: string | null, daysLater: number): string | null {
  if (isMoment(day)) return day;
  const [, year, month, date] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? []).map(Number);
  if (year === undefined || month === undefined || date === undefined) return null;
  // `Date` would turn February 31 into a day in March.
  if (new Date(year, month - 1, date).getDate() !== date) return null;
  return new Date(year, month - 1, date + daysLater).toISOString();
}

/** Whether a filter is a moment rather than a day. */
export const isMoment = (text: string | null): text is string =>
  /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text ?? '') && !Number.isNaN(Date.parse(text ?? ''));
