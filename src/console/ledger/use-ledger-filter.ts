import { useFilters } from '../parts/use-filters.js';

// Of no county. Until a code is whole nothing fits; were it left out, the whole ledger would pass for what was found.
const noCounty = '00000';

/** The filters of a ledger as they are in the address; what is no day there is left out. */
export function useLedgerFilter() {
  const { get } = useFilters();
  const county = get('county');
  const [from, to] = [startOf(get('from'), 0), startOf(get('to'), 1)];
  return {
    search: get('search'),
    tokenId: get('token'),
    kind: get('kind'),
    countyFips: county === null || isWholeCode(county) ? county : noCounty,
    from,
    to,
    before: get('before'),
  };
}

export const isWholeCode = (county: string): boolean => /^\d{5}$/.test(county);

/** When a day of the reader's calendar begins, or one some days later. */
function startOf(day: string | null, daysLater: number): string | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? [];
  return year ? new Date(Number(year), Number(month) - 1, Number(date) + daysLater).toISOString() : null;
}
