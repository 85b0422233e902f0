import { type AnyVariables, type TypedDocumentNode, useMutation } from 'urql';
import { messageOf } from './client.js';

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
