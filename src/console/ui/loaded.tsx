import { Skeleton } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { useSearch } from 'wouter';
import type { Answer } from '../hooks/use-remote.js';
import { serverUnreachable } from '../shell/connection.js';
import { LoadFailed } from './failures.js';
import classes from './loaded.module.css';

interface LoadedProps<Data> {
  /** As in "… could not be loaded". */
  what: string;
  answer: Answer<Data>;
  /** Shown while loading. It should be as high as the content, to avoid layout shift. */
  placeholder?: ReactNode;
  children: (data: NonNullable<Data>) => ReactNode;
}

/**
 * Shows the state of an answer: loading, failed, or its data. Old data stays visible during a refetch, and also if that fails. Data that
 * does not match the filters and the page in the URL is marked as outdated.
 */
export function Loaded<Data>({ what, answer, placeholder, children }: LoadedProps<Data>) {
  const { data, error, isLoading, refetch } = answer;
  const search = useSearch();
  // Data that is shown during a fetch belongs to the previous filter.
  const shownSearch = useRef(isLoading ? null : search);
  if (!isLoading) shownSearch.current = search;
  const isOutdated = shownSearch.current !== search;
  const isServerUnreachable = serverUnreachable.useValue(); // if so, the frame already shows a notice
  if (data) {
    return (
      <>
        {error && !isServerUnreachable && <LoadFailed what={what} message={error.message} isOldShown onRetry={refetch} />}
        <div aria-busy={isOutdated} className={isOutdated ? classes.outdated : undefined}>
          {children(data)}
        </div>
      </>
    );
  }
  if (error) return <LoadFailed what={what} message={error.message} onRetry={refetch} />;
  return (
    <div aria-busy="true" className={classes.loading}>
      {placeholder ?? <Skeleton height={280} />}
    </div>
  );
}
