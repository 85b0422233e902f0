import { startOf } from '../format/days.js';
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
