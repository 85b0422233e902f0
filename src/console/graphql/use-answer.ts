import { useWindowEvent } from '@mantine/hooks';
import { useCallback, useMemo } from 'react';
import { type AnyVariables, type RequestPolicy, type TypedDocumentNode, type UseQueryArgs, useQuery } from 'urql';
import type { Answer } from '../hooks/use-remote.js';
import { RefusedError } from './client.js';

interface Options {
  pause?: boolean;
  requestPolicy?: RequestPolicy;
}

/** Answers a query: at first with the kept answer, then with the server's new one. */
export function useAnswer<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  options: Options = {},
): Answer<Data> {
  const [{ data, error, fetching }, execute] = useQuery({ query, variables, ...options } as UseQueryArgs<Variables, Data>);
  const refetch = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  // After reconnecting, the data may be stale.
  useWindowEvent('online', () => !options.pause && refetch());
  return { data, error: useMemo(() => error && new RefusedError(error), [error]), isLoading: fetching, refetch };
}
