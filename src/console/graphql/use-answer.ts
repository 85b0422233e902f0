import { useCallback } from 'react';
import { type AnyVariables, type CombinedError, type OperationContext, type TypedDocumentNode, type UseQueryArgs, useQuery } from 'urql';

export interface Answer<Data> {
  data: Data | undefined;
  error: CombinedError | undefined;
  fetching: boolean;
  /** Asks the server itself. */
  refetch: () => void;
}

interface Options {
  pause?: boolean;
  requestPolicy?: 'cache-first';
  context?: Partial<OperationContext>;
}

/** What the server answers to a query: at first what it answered before, then what it answers now. */
export function useAnswer<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  options: Options = {},
): Answer<Data> {
  const [{ data, error, fetching }, execute] = useQuery({ query, variables, ...options } as UseQueryArgs<Variables, Data>);
  const refetch = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  return { data, error, fetching, refetch };
}
