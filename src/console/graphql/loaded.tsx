import { Skeleton } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import type { CombinedError } from 'urql';
import { useSearch } from 'wouter';
import { useIsServerAway } from '../shell/connection.js';
import { LoadFailed } from '../ui/load-failed.js';
import { messageOf } from './client.js';
import classes from './loaded.module.css';

interface LoadedProps<Data> {
  /** As in "… could not be loaded". */
  what: string;
  query: { data?: Data | undefined; error?: CombinedError | undefined; fetching?: boolean };
  onRetry: () => void;
  /** Shown while loading; as high as the content, so that nothing moves when it arrives. */
  placeholder?: ReactNode;
  children: (data: Data) => ReactNode;
}

/**
 * Shows the state of a query: loading, failed, or its data. Old data stays in view while newer is fetched, also where that fails; what does
 * not fit the filters and the page in the address any more is marked as such.
 */
export function Loaded<Data>({ what, query, onRetry, placeholder, children }: LoadedProps<Data>) {
  const search = useSearch();
  // What is there while it is still being fetched is of a filter before.
  const shownSearch = useRef(query.fetching ? null : search);
  if (!query.fetching) shownSearch.current = search;
  const isOutdated = shownSearch.current !== search;
  const isServerAway = useIsServerAway(); // if so, the frame says it of the whole page
  if (query.data) {
    return (
      <>
        {query.error && !isServerAway && <LoadFailed what={what} message={messageOf(query.error)} isOldShown onRetry={onRetry} />}
        <div aria-busy={isOutdated} className={isOutdated ? classes.outdated : undefined}>
          {children(query.data)}
        </div>
      </>
    );
  }
  if (query.error) return <LoadFailed what={what} message={messageOf(query.error)} onRetry={onRetry} />;
  return <div aria-busy="true">{placeholder ?? <Skeleton height={280} />}</div>;
}
