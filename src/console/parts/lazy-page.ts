import { type ComponentType, lazy } from 'react';

/** The script of a page could not be fetched: there is no connection, or a newer version of the site has replaced it. */
export class PageNotFetched extends Error {}

/** A page whose script is fetched when it is opened. */
export const lazyPage = <Props>(fetchPage: () => Promise<{ default: ComponentType<Props> }>) =>
  lazy(() =>
    fetchPage().catch((cause: Error) => {
      throw new PageNotFetched(cause.message, { cause });
    }),
  );
