import { useFilters } from '../parts/use-filters.js';

/** The filters of a ledger as they are in the address; what is no day or no county there is left out. */
export function useLedgerFilter() {
  const { get } = useFilters();
  const [from, to] = [startOf(get('from'), 0), startOf(get('to'), 1)];
  return {
    search: get('search'),
    tokenId: get('token'),
    kind: get('kind'),
    countyFips: /^\d{5}$/.test(get('county') ?? '') ? get('county') : null,
    from,
    to,
    before: get('before'),
  };
}

/** When a day of the reader's calendar begins, or one some days later. */
function startOf(day: string | null, daysLater: number): string | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? [];
  return year ? new Date(Number(year), Number(month) - 1, Number(date) + daysLater).toISOString() : null;
}
