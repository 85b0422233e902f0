import { Skeleton } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { useSearch } from 'wouter';
import { useIsServerUnreachable } from '../shell/connection.js';
import { LoadFailed } from '../ui/failures.js';
import { messageOf } from './client.js';
import classes from './loaded.module.css';
import type { Answer } from './use-answer.js';

interface LoadedProps<Data> {
  /** As in "… could not be loaded". */
  what: string;
  answer: Answer<Data>;
  /** Shown while loading. It should be as high as the content, to avoid layout shift. */
  placeholder?: ReactNode;
  children: (data: Data) => ReactNode;
}

/**
 * Shows the state of a query: loading, failed, or its data. Old data stays visible during a refetch, and also if that fails. Data that
 * does not match the filters and the page in the URL is marked as outdated.
 */
export function Loaded<Data>({ what, answer, placeholder, children }: LoadedProps<Data>) {
  const search = useSearch();
  // Data that is shown during a fetch belongs to the previous filter.
  const shownSearch = useRef(answer.fetching ? null : search);
  if (!answer.fetching) shownSearch.current = search;
  const isOutdated = shownSearch.current !== search;
  const isServerUnreachable = useIsServerUnreachable(); // if so, the frame already shows a notice
  if (answer.data) {
    return (
      <>
        {answer.error && !isServerUnreachable && (
          <LoadFailed what={what} message={messageOf(answer.error)} isOldShown onRetry={answer.refetch} />
        )}
        <div aria-busy={isOutdated} className={isOutdated ? classes.outdated : undefined}>
          {children(answer.data)}
        </div>
      </>
    );
  }
  if (answer.error) return <LoadFailed what={what} message={messageOf(answer.error)} onRetry={answer.refetch} />;
  return (
    <div aria-busy="true" className={classes.loading}>
      {placeholder ?? <Skeleton height={280} />}
    </div>
  );
}
