import { type AnyVariables, type TypedDocumentNode, useMutation } from 'urql';
import { messageOf } from './client.js';

/** A mutation as a function that answers with the data, or throws what a person should read. */
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
