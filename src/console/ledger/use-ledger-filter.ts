import { useFilters } from '../hooks/use-filters.js';

/**
 * The filters of a ledger as they are in the address; what is no day there is left out. Null while the code of the county is not whole:
 * no entry is of a part of one, and were it left out, the whole ledger would pass for what was found.
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

/** When a day of the reader's calendar begins, or one some days later. */
function startOf(day: string | null, daysLater: number): string | null {
  const [, year, month, date] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? []).map(Number);
  if (year === undefined || month === undefined || date === undefined) return null;
  // The calendar would take the 31st of February for a day of March, which no field shows.
  if (new Date(year, month - 1, date).getDate() !== date) return null;
  return new Date(year, month - 1, date + daysLater).toISOString();
}
