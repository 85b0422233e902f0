import { useCallback, useMemo } from 'react';
import { useLocation } from 'wouter';
import { navigate, useSearch } from 'wouter/use-browser-location';
import { startOf } from '../format.js';

// A page is identified by its number, or by the entry or record that it begins before or after.
const pages = ['page', 'before', 'after'];

// Back returns to these, but not to each filter that was typed.
const visited = [...pages, 'step'];

// These affect only the chart beside the list, so the list stays on its page.
const looks = ['by', 'days'];

// Far beyond any list, but its offset still fits into 32 bits on the server.
const lastPage = 1_000_000;

/** Filters and page of a list, stored in the URL so that a link shows the same list. A new filter starts at the first page. */
export function useFilters() {
  const [path] = useLocation();
  // Read from the browser: wouter's search parameters are decoded twice, and `A%20B.zip` is not the same name as `A B.zip`.
  const search = useSearch();
  const filters = useMemo(() => new URLSearchParams(search), [search]);
  const setFilter = useCallback(
    (name: string, value: string | null) => {
      // A search is debounced. It must not navigate away from a page that was opened in the meantime.
      if (window.location.pathname !== path) return;
      const next = new URLSearchParams(window.location.search);
      if (value) next.set(name, value);
      else next.delete(name);
      if (!pages.includes(name) && !looks.includes(name)) for (const page of pages) next.delete(page);
      navigate(next.size > 0 ? `${path}?${next}` : path, { replace: !visited.includes(name) });
    },
    [path],
  );
  const page = Math.min(lastPage, Math.max(1, Number.parseInt(filters.get('page') ?? '1', 10) || 1));
  const get = (name: string) => filters.get(name);
  const countyFips = get('county');
  return {
    get,
    setFilter,
    page,
    /** The filters that several lists have, by the names of the queries' variables. Invalid days are ignored. */
    common: { tokenId: get('token'), countyFips, from: startOf(get('from'), 0), to: startOf(get('to'), 1) },
    /** Said while the code of a county is incomplete. Ignoring the code would show the whole list as if it were the result. */
    countyFault: countyFips === null || /^\d{5}$/.test(countyFips) ? undefined : 'A FIPS code has five digits.',
  };
}
