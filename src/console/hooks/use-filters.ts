import { useCallback, useMemo } from 'react';
import { useLocation } from 'wouter';
import { navigate, useSearch } from 'wouter/use-browser-location';

// A page by its number, or by the entry that it begins behind.
const pages = ['page', 'before'];

// How a chart beside the list is drawn: the list stays where it is.
const looks = ['by', 'days'];

// Far beyond any list, and its rows can still be counted in the server's 32 bits.
const lastPage = 1_000_000;

/** Filters and page of a list, kept in the address so that a link shows the same. A new filter begins at the first page. */
export function useFilters() {
  const [path] = useLocation();
  // As the browser has it: the router's own takes the escapes away once too often, and `A%20B.zip` is another name than `A B.zip`.
  const search = useSearch();
  const filters = useMemo(() => new URLSearchParams(search), [search]);
  const setFilter = useCallback(
    (name: string, value: string | null) => {
      // A search is set after a pause. If another page was opened meanwhile, it must not be left.
      if (window.location.pathname !== path) return;
      const next = new URLSearchParams(window.location.search);
      if (value) next.set(name, value);
      else next.delete(name);
      if (!pages.includes(name) && !looks.includes(name)) for (const page of pages) next.delete(page);
      // The back button returns to the page before, but not to each filter that was typed.
      navigate(next.size > 0 ? `${path}?${next}` : path, { replace: !pages.includes(name) });
    },
    [path],
  );
  const page = Math.min(lastPage, Math.max(1, Number.parseInt(filters.get('page') ?? '1', 10) || 1));
  return { get: (name: string) => filters.get(name), setFilter, page };
}
