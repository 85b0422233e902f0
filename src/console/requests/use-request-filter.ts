import { startOf } from '../format/days.js';
import { useFilters } from '../hooks/use-filters.js';

const requestId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The filters of the calls from the URL, and what is wrong with those that a user types. Such a one would find nothing. */
export function useRequestFilter() {
  const { get } = useFilters();
  const [id, county] = [get('request'), get('county')];
  const faults = {
    request: id !== null && !requestId.test(id) ? 'A request ID looks like 01a212ac-770c-798c-a708-86bc00000002.' : undefined,
    county: county !== null && !/^\d{5}$/.test(county) ? 'A FIPS code has five digits.' : undefined,
  };
  const filter = {
    tokenId: get('token'),
    result: get('result'),
    id,
    countyFips: county,
    from: startOf(get('from'), 0),
    to: startOf(get('to'), 1),
    before: get('before'),
  };
  return { filter, faults, isFaulty: faults.request !== undefined || faults.county !== undefined };
}
