import type { AnyVariables, Client, TypedDocumentNode } from 'urql';
import { messageOf } from './client.js';

const maxTries = 10;

/** Asks the server itself. A long download can exceed the rate limit: it then continues after the server's `Retry-After`. */
export async function queryPatiently<Data, Variables extends AnyVariables>(
  client: Client,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  for (let tries = 1; ; tries++) {
    const { data, error } = await client.query(document, variables, { requestPolicy: 'network-only' }).toPromise();
    if (data && !error) return data;
    const waitSeconds = Number((error?.response as Response | undefined)?.headers.get('Retry-After'));
    if (!(waitSeconds > 0) || tries === maxTries) throw new Error(error ? messageOf(error) : 'The server did not answer.');
    await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000));
  }
}
