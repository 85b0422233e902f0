import { Skeleton } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import type { CombinedError } from 'urql';
import { useSearch } from 'wouter';
import { useIsServerUnreachable } from '../shell/connection.js';
import { LoadFailed } from '../ui/failures.js';
import { messageOf } from './client.js';
import classes from './loaded.module.css';

interface LoadedProps<Data> {
  /** As in "… could not be loaded". */
  what: string;
  query: { data?: Data | undefined; error?: CombinedError | undefined; fetching?: boolean };
  onRetry: () => void;
  /** Shown while loading. It should be as high as the content, to avoid layout shift. */
  placeholder?: ReactNode;
  children: (data: Data) => ReactNode;
}

/**
 * Shows the state of a query: loading, failed, or its data. Old data stays visible during a refetch, and also if that fails. Data that
 * does not match the filters and the page in the URL is marked as outdated.
 */
export function Loaded<Data>({ what, query, onRetry, placeholder, children }: LoadedProps<Data>) {
  const search = useSearch();
  // Data that is shown during a fetch belongs to the previous filter.
  const shownSearch = useRef(query.fetching ? null : search);
  if (!query.fetching) shownSearch.current = search;
  const isOutdated = shownSearch.current !== search;
  const isServerUnreachable = useIsServerUnreachable(); // if so, the frame already shows a notice
  if (query.data) {
    return (
      <>
        {query.error && !isServerUnreachable && <LoadFailed what={what} message={messageOf(query.error)} isOldShown onRetry={onRetry} />}
        <div aria-busy={isOutdated} className={isOutdated ? classes.outdated : undefined}>
          {children(query.data)}
        </div>
      </>
    );
  }
  if (query.error) return <LoadFailed what={what} message={messageOf(query.error)} onRetry={onRetry} />;
  return (
    <div aria-busy="true" className={classes.loading}>
      {placeholder ?? <Skeleton height={280} />}
    </div>
  );
}
