import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { LoadFailed } from '../parts/load-failed.js';
import { messageOf } from './client.js';

interface LoadedProps<Data> {
  /** As in "… could not be loaded". */
  what: string;
  query: { data?: Data | undefined; error?: CombinedError | undefined };
  onRetry: () => void;
  /** Shown while loading; as high as the content, so that nothing moves when it arrives. */
  placeholder?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** Shows the state of a query: loading, failed, or its data. Old data stays in view while newer is fetched. */
export function Loaded<Data>({ what, query, onRetry, placeholder, children }: LoadedProps<Data>) {
  if (query.data) return children(query.data);
  if (query.error) return <LoadFailed what={what} message={messageOf(query.error)} onRetry={onRetry} />;
  return <div aria-busy="true">{placeholder ?? <Skeleton height={280} />}</div>;
}
