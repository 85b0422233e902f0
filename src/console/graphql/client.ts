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
import { askForSession } from '../auth/auth-client.js';
import { noteServerTime } from '../format/server-clock.js';
import { noteServer, serverAwayMessage } from '../shell/connection.js';

/** The only GraphQL client of the console. Cached answers are shown at once and fetched again. */
export const graphqlClient = new Client({
  url: '/graphql',
  exchanges: [
    mapExchange({ onOperation: noteShown, onResult: keepWhatIsShown }),
    cacheExchange,
    mapExchange({ onResult: noticeServer, onError: noticeEndOfSession }),
    mapExchange({ onOperation: noteUnderWay, onResult: askAgainAfterChange }),
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
  if (isNotReached(error)) return serverAwayMessage;
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

const isNotReached = (error: CombinedError): boolean => error.networkError !== undefined && !error.response;

/** Whether there is no answer for now: none came, or a proxy gave one in the place of the server, or a query found no database. */
function isServerAway({ operation, error }: OperationResult): boolean {
  if (!error) return false;
  if (isNotReached(error) || [502, 503, 504].includes(error.response?.status)) return true;
  return operation.kind === 'query' && codesOf(error).includes('unavailable');
}

function noticeServer(result: OperationResult): void {
  noteServer(isServerAway(result));
}

/** The session has ended, or its role was taken away. */
function noticeEndOfSession(error: CombinedError): void {
  const codes = codesOf(error);
  if (error.response?.status === 401 || codes.includes('unauthenticated') || codes.includes('forbidden')) askForSession();
}

const shown = new Map<number, Operation>();

function noteShown(operation: Operation): void {
  if (operation.kind === 'query') shown.set(operation.key, operation);
}

const answers = new Map<number, unknown>();

// What the server refused is not to be seen any longer, or was never there.
const refusals = ['unauthenticated', 'forbidden', 'not_found', 'invalid_request'];

/**
 * What was answered in full stays in view when it is asked for again and cannot be had, with the error. An answer with an error is never
 * shown, however much of it there is: what is missing in it would pass for what does not exist.
 */
function keepWhatIsShown(result: OperationResult): OperationResult {
  const { operation, data, error } = result;
  if (operation.kind !== 'query') return result;
  if (!error) answers.set(operation.key, data);
  else if (codesOf(error).some((code) => refusals.includes(String(code)))) answers.delete(operation.key);
  return { ...result, data: answers.get(operation.key) };
}

/** Asks the server once more, unless no page shows the answer any longer. */
const askAgain = (operation: Operation) =>
  graphqlClient.reexecuteOperation(makeOperation('query', operation, { requestPolicy: 'network-only' }));

/** Back on the network, what is shown may be old: it is asked for again. */
window.addEventListener('online', () => {
  for (const operation of shown.values()) askAgain(operation);
});

// The queries under way, and whether a change was made meanwhile: what answers them may have been read before it. The cache asks again
// only for what had been answered.
const underWay = new Map<number, boolean>();

function noteUnderWay({ kind, key }: Operation): void {
  if (kind === 'query') underWay.set(key, false);
}

function askAgainAfterChange({ operation }: OperationResult): void {
  if (operation.kind === 'mutation') {
    for (const key of underWay.keys()) underWay.set(key, true);
  } else {
    if (underWay.get(operation.key)) askAgain(operation);
    underWay.delete(operation.key);
  }
}
