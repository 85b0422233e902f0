import { type ComponentType, lazy } from 'react';

/** The script of a page could not be fetched: there is no connection, or a newer version of the site has replaced it. */
export class PageNotFetched extends Error {}

/** A page whose script is fetched when it is opened; at once, if the document was opened at its address. */
export function lazyPage<Props>(fetchPage: () => Promise<{ default: ComponentType<Props> }>, path?: string) {
  const fetchOrExplain = () =>
    fetchPage().catch((cause: Error) => {
      throw new PageNotFetched(cause.message, { cause });
    });
  if (path === undefined || !window.location.pathname.startsWith(path)) return lazy(fetchOrExplain);
  const fetched = fetchOrExplain();
  fetched.catch(() => {}); // the page shows it, if it is still wanted then
  return lazy(() => fetched);
}
