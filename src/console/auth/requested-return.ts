import { useIsHydrated } from '../hooks/use-is-hydrated.js';

/**
 * The page that the user requested before signing in. It comes from a link, so check it with `safeReturnPath`. It is not read through
 * wouter, which decodes the search twice and would break escaped URLs.
 */
export const requestedReturn = (): string | null => new URLSearchParams(window.location.search).get('return');

/** The same, for what a page shows: the server writes it for everybody, without what a link requests. */
export function useRequestedReturn(): string | null {
  return useIsHydrated() ? requestedReturn() : null;
}
