import { useCallback } from 'react';
import {
  type AnyVariables,
  type CombinedError,
  type OperationContext,
  type TypedDocumentNode,
  type UseQueryArgs,
  useMutation,
  useQuery,
} from 'urql';
import { messageOf } from './client.js';

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

/** Why a mutation failed, with a message for users. */
export class ChangeError extends Error {
  constructor(
    message: string,
    /** The server's error code, if it answered. */
    readonly code: unknown,
  ) {
    super(message);
  }
}

/** A mutation as a function that returns the data, or throws a `ChangeError`. */
export function useChange<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
): (variables: Variables) => Promise<Data> {
  const [, execute] = useMutation(document);
  return async (variables) => {
    const { data, error } = await execute(variables);
    if (error) throw new ChangeError(messageOf(error), error.graphQLErrors[0]?.extensions.code);
    return data as Data;
  };
}
