/**
 * The page that somebody was going to when they were asked to sign in: as a link says, so it is to be checked by `safeReturnPath`. Not by the
 * router's search, which is decoded once before its parameters are: an address in it would lose what is escaped there.
 */
export const requestedReturn = (): string | null => new URLSearchParams(window.location.search).get('return');
