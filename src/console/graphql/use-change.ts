import { type AnyVariables, type TypedDocumentNode, useMutation } from 'urql';
import { messageOf } from './client.js';

/** A mutation as a function that returns the data, or throws an error with a message for people. */
export function useChange<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
): (variables: Variables) => Promise<Data> {
  const [, execute] = useMutation(document);
  return async (variables) => {
    const { data, error } = await execute(variables);
    if (error) throw new Error(messageOf(error));
    return data as Data;
  };
}
