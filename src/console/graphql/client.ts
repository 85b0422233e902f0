import {
  Client,
  type CombinedError,
  cacheExchange,
  fetchExchange,
  makeOperation,
  mapExchange,
  type Operation,
  type OperationResult,
} from 'urql';
import { refetchSession } from '../auth/auth-client.js';
import { syncServerClock } from '../format/server-clock.js';
import { serverUnreachableMessage, setServerUnreachable } from '../shell/connection.js';

/** The only GraphQL client of the console. Cached answers are shown at once and fetched again. */
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

/** The message of an error, for people. */
export function messageOf(error: CombinedError): string {
  if (isUnreachable(error)) return serverUnreachableMessage;
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

const isUnreachable = (error: CombinedError): boolean => error.networkError !== undefined && !error.response;

/** Whether there is no answer for now: none came, or a proxy gave one in the place of the server, or a query found no database. */
function isServerUnreachable({ operation, error }: OperationResult): boolean {
  if (!error) return false;
  if (isUnreachable(error) || [502, 503, 504].includes(error.response?.status)) return true;
  return operation.kind === 'query' && codesOf(error).includes('unavailable');
}

function reportServerState(result: OperationResult): void {
  setServerUnreachable(isServerUnreachable(result));
}

/** The session has ended, or its role was taken away. */
function handleEndedSession(error: CombinedError): void {
  const codes = codesOf(error);
  if (error.response?.status === 401 || codes.includes('unauthenticated') || codes.includes('forbidden')) refetchSession();
}

const shown = new Map<number, Operation>();

function trackShownQuery(operation: Operation): void {
  if (operation.kind === 'query') shown.set(operation.key, operation);
}

const answers = new Map<number, unknown>();

// What the server refused is not to be seen any longer, or was never there.
const refusals = ['unauthenticated', 'forbidden', 'not_found', 'invalid_request'];

/**
 * What was answered in full stays in view when it is asked for again and cannot be had, with the error. An answer with an error is never
 * shown, however much of it there is: what is missing in it would pass for what does not exist.
 */
function keepLastAnswer(result: OperationResult): OperationResult {
  const { operation, data, error } = result;
  if (operation.kind !== 'query') return result;
  if (!error) answers.set(operation.key, data);
  else if (codesOf(error).some((code) => refusals.includes(String(code)))) answers.delete(operation.key);
  return { ...result, data: answers.get(operation.key) };
}

/** Asks the server once more, unless no page shows the answer any longer. */
const refetch = (operation: Operation) =>
  graphqlClient.reexecuteOperation(makeOperation('query', operation, { requestPolicy: 'network-only' }));

/** Back on the network, what is shown may be old: it is asked for again. */
window.addEventListener('online', () => {
  for (const operation of shown.values()) refetch(operation);
});

// The queries under way, and whether a change was made meanwhile: what answers them may have been read before it. The cache asks again
// only for what had been answered.
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
