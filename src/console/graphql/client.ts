import { Client, type CombinedError, cacheExchange, fetchExchange, mapExchange, type Operation, type OperationResult } from 'urql';
import { askForSession } from '../auth/auth-client.js';
import { noteServer, serverAwayMessage } from '../parts/connection.js';
import { noteServerTime } from '../parts/server-clock.js';

/** The only GraphQL client of the console. Cached answers are shown at once and fetched again. */
export const graphqlClient = new Client({
  url: '/graphql',
  exchanges: [
    mapExchange({ onOperation: noteOperation }),
    cacheExchange,
    mapExchange({ onResult: noticeServer, onError: noticeEndOfSession }),
    fetchExchange,
  ],
  requestPolicy: 'cache-and-network',
  preferGetMethod: false,
  fetch: async (input, init) => {
    const response = await fetch(input, init);
    noteServerTime(response.headers.get('Date'));
    return response;
  },
});

/** The message of an error, for people. */
export function messageOf(error: CombinedError): string {
  if (error.networkError && !error.response) return serverAwayMessage;
  const message = error.graphQLErrors[0]?.message ?? 'Something went wrong on our side.';
  if (codesOf(error).includes('internal')) return `${message} Tell us this reference: ${error.response?.headers.get('x-request-id')}`;
  return message;
}

/** Why the server refused one parameter, for beside its field; undefined: it did not. */
export function refusalOf(error: CombinedError | undefined, parameter: string): string | undefined {
  const faults = error?.graphQLErrors.flatMap(({ extensions }) => (extensions?.details ?? []) as { parameter: string; message: string }[]);
  const fault = faults?.find((one) => one.parameter === parameter);
  return fault && `It ${fault.message}.`;
}

/** Whether the server answered that there is no such thing. */
export const isNotFound = (error: CombinedError | undefined): boolean => error !== undefined && codesOf(error).includes('not_found');

const codesOf = (error: CombinedError) => error.graphQLErrors.map(({ extensions }) => extensions?.code);

function noticeServer({ error }: OperationResult): void {
  noteServer(error?.networkError !== undefined && !error.response);
}

function noticeEndOfSession(error: CombinedError): void {
  if (error.response?.status === 401 || codesOf(error).includes('unauthenticated')) askForSession();
}

// What the open page shows.
const shown = new Map<number, Operation>();

function noteOperation(operation: Operation): void {
  if (operation.kind === 'query') shown.set(operation.key, operation);
  else if (operation.kind === 'teardown') shown.delete(operation.key);
}

/** Back on the network, what is shown may be old: it is asked for again. */
window.addEventListener('online', () => {
  for (const operation of shown.values()) {
    graphqlClient.reexecuteOperation(graphqlClient.createRequestOperation('query', operation, { requestPolicy: 'network-only' }));
  }
});
