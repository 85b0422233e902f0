import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'wouter';

// A page by its number, or by the entry that it begins behind.
const pages = ['page', 'before'];

// How a chart beside the list is drawn: the list stays where it is.
const looks = ['by', 'days'];

// Far beyond any list, and its rows can still be counted in the server's 32 bits.
const lastPage = 1_000_000;

/** Filters and page of a list, kept in the address so that a link shows the same. A new filter begins at the first page. */
export function useFilters() {
  const [path] = useLocation();
  const [search, setSearch] = useSearchParams();
  const setFilter = useCallback(
    (name: string, value: string | null) => {
      // A search is set after a pause. If another page was opened meanwhile, it must not be left.
      if (window.location.pathname !== path) return;
      setSearch(
        (previous) => {
          const next = new URLSearchParams(previous);
          if (value) next.set(name, value);
          else next.delete(name);
          if (!pages.includes(name) && !looks.includes(name)) for (const page of pages) next.delete(page);
          return next;
        },
        // The back button returns to the page before, but not to each filter that was typed.
        { replace: !pages.includes(name) },
      );
    },
    [path, setSearch],
  );
  const page = Math.min(lastPage, Math.max(1, Number.parseInt(search.get('page') ?? '1', 10) || 1));
  return { get: (name: string) => search.get(name), setFilter, page };
}
