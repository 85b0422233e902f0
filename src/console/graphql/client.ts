import {
  type AnyVariables,
  Client,
  type CombinedError,
  cacheExchange,
  fetchExchange,
  makeOperation,
  mapExchange,
  type Operation,
  type OperationResult,
  type TypedDocumentNode,
} from 'urql';
import { refetchSession } from '../auth/use-signed-in-user.js';
import { syncServerClock } from '../format/clock.js';
import { serverUnreachableMessage, setServerUnreachable } from '../shell/connection.js';

/** The only GraphQL client of the console. Cached answers are shown immediately and fetched again. */
export const graphqlClient = new Client({
  url: '/graphql',
  exchanges: [
    mapExchange({ onOperation: trackShownQuery, onResult: keepLastAnswer }),
    cacheExchange,
    mapExchange({ onResult: reportServerState, onError: handleEndedSession }),
    mapExchange({ onOperation: trackPendingQuery, onResult: refetchAfterChange }),
    fetchExchange,
  ],
  requestPolicy: 'cache-and-network',
  preferGetMethod: false,
  fetch: async (input, init) => {
    const response = await fetch(input, init);
    syncServerClock(response.headers.get('Date'));
    return response;
  },
});

/** The message of an error, for users. */
export function messageOf(error: CombinedError): string {
  if (isUnreachable(error)) return serverUnreachableMessage;
  const message = error.graphQLErrors[0]?.message ?? 'Something went wrong on our side.';
  if (codesOf(error).includes('internal')) return `${message} Please report this reference: ${error.response?.headers.get('x-request-id')}`;
  return message;
}

/** Why the server refused a parameter, to show beside its field; undefined if it did not. */
export function refusalOf(error: CombinedError | undefined, parameter: string): string | undefined {
  const faults = error?.graphQLErrors.flatMap(({ extensions }) => (extensions?.details ?? []) as { parameter: string; message: string }[]);
  const fault = faults?.find((one) => one.parameter === parameter);
  return fault && `It ${fault.message}.`;
}

/** Whether the server answered `not_found`. */
export const isNotFound = (error: CombinedError | undefined): boolean => error !== undefined && codesOf(error).includes('not_found');

const codesOf = (error: CombinedError) => error.graphQLErrors.map(({ extensions }) => extensions?.code);

const isUnreachable = (error: CombinedError): boolean => error.networkError !== undefined && !error.response;

/** Whether the server is unreachable: no answer, an answer from a proxy, or a query without a database. */
function isServerUnreachable({ operation, error }: OperationResult): boolean {
  if (!error) return false;
  if (isUnreachable(error) || [502, 503, 504].includes(error.response?.status)) return true;
  return operation.kind === 'query' && codesOf(error).includes('unavailable');
}

function reportServerState(result: OperationResult): void {
  setServerUnreachable(isServerUnreachable(result));
}

/** Checks the session if it has ended or lost its role. */
function handleEndedSession(error: CombinedError): void {
  const codes = codesOf(error);
  if (error.response?.status === 401 || codes.includes('unauthenticated') || codes.includes('forbidden')) refetchSession();
}

const shown = new Map<number, Operation>();

function trackShownQuery(operation: Operation): void {
  if (operation.kind === 'query') shown.set(operation.key, operation);
}

const answers = new Map<number, unknown>();

// After these refusals, earlier answers must no longer be shown.
const refusals = ['unauthenticated', 'forbidden', 'not_found', 'invalid_request'];

/**
 * If a refetch fails, the last complete answer stays visible together with the error. A partial answer with an error is never shown,
 * because what is missing in it would look as if it did not exist.
 */
function keepLastAnswer(result: OperationResult): OperationResult {
  const { operation, data, error } = result;
  if (operation.kind !== 'query') return result;
  if (!error) answers.set(operation.key, data);
  else if (codesOf(error).some((code) => refusals.includes(String(code)))) answers.delete(operation.key);
  return { ...result, data: answers.get(operation.key) };
}

/** Refetches a query. It does nothing if no page shows the answer any more. */
const refetch = (operation: Operation) =>
  graphqlClient.reexecuteOperation(makeOperation('query', operation, { requestPolicy: 'network-only' }));

/** After reconnecting, shown data may be stale, so it is fetched again. */
window.addEventListener('online', () => {
  for (const operation of shown.values()) refetch(operation);
});

// Pending queries, and whether a mutation finished meanwhile. Their answers may be older than the mutation, and the cache refetches only
// queries that were already answered.
const pending = new Map<number, boolean>();

function trackPendingQuery({ kind, key }: Operation): void {
  if (kind === 'query') pending.set(key, false);
}

function refetchAfterChange({ operation }: OperationResult): void {
  if (operation.kind === 'mutation') {
    for (const key of pending.keys()) pending.set(key, true);
  } else {
    if (pending.get(operation.key)) refetch(operation);
    pending.delete(operation.key);
  }
}

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
