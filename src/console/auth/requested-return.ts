/**
 * The page that the user requested before signing in. It comes from a link, so check it with `safeReturnPath`. It is not read through
 * wouter, which decodes the search twice and would break escaped URLs.
 */
export const requestedReturn = (): string | null => new URLSearchParams(window.location.search).get('return');
