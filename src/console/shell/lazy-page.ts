import { type ComponentType, lazy } from 'react';

/** The script of a page could not be loaded: there is no connection, or a deploy has replaced it. */
export class PageLoadError extends Error {}

/** A page whose script is loaded when it is opened, or at once if the document was opened at `path`. */
export function lazyPage<Props>(fetchPage: () => Promise<{ default: ComponentType<Props> }>, path?: string) {
  const fetchOrExplain = () =>
    fetchPage().catch((cause: Error) => {
      throw new PageLoadError(cause.message, { cause });
    });
  if (path === undefined || import.meta.env.SSR || window.location.pathname.replace(/\/$/, '') !== path) return lazy(fetchOrExplain);
  const fetched = fetchOrExplain();
  fetched.catch(() => {}); // rendering the page reports the error
  return lazy(() => fetched);
}
