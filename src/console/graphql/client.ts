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
import { syncServerClock } from '../format.js';
import { serverUnreachable, serverUnreachableMessage } from '../shell/connection.js';

/** The only GraphQL client of the console. Cached answers are shown immediately and fetched again. */
export const graphqlClient = new Client({
  url: '/graphql',
  exchanges: [
    mapExchange({ onResult: keepLastAnswer }),
    cacheExchange,
    mapExchange({ onResult: reportServerState, onError: handleEndedSession }),
    mapExchange({ onOperation: trackQuery, onResult: refetchAfterChange }),
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

/** Why the server did not do what was asked for, in words for users. */
export class RefusedError extends Error {
  /** The server's codes, if it answered. */
  readonly codes: unknown[];

  constructor(override readonly cause: CombinedError) {
    super(messageOf(cause));
    this.codes = codesOf(cause);
  }
}

function messageOf(error: CombinedError): string {
  if (isUnreachable(error)) return serverUnreachableMessage;
  const message = error.graphQLErrors[0]?.message ?? 'Something went wrong on our side.';
  if (codesOf(error).includes('internal')) return `${message} Please report this reference: ${error.response?.headers.get('x-request-id')}`;
  return message;
}

/** Whether the server refused with a code. */
export const isRefused = (error: Error | undefined, code: string): boolean => error instanceof RefusedError && error.codes.includes(code);

/** Why the server refused a parameter, to show beside its field; undefined if it did not. */
export function refusalOf(error: Error | undefined, parameter: string): string | undefined {
  if (!(error instanceof RefusedError)) return undefined;
  const faults = error.cause.graphQLErrors.flatMap(
    ({ extensions }) => (extensions.details ?? []) as { parameter: string; message: string }[],
  );
  const fault = faults.find((one) => one.parameter === parameter);
  return fault && `It ${fault.message}.`;
}

const codesOf = (error: CombinedError) => error.graphQLErrors.map(({ extensions }) => extensions?.code);

const isUnreachable = (error: CombinedError): boolean => error.networkError !== undefined && !error.response;

/** Whether the server is unreachable: no answer, an answer from a proxy, or a query without a database. */
function isServerUnreachable({ operation, error }: OperationResult): boolean {
  if (!error) return false;
  if (isUnreachable(error) || [502, 503, 504].includes(error.response?.status)) return true;
  return operation.kind === 'query' && codesOf(error).includes('unavailable');
}

function reportServerState(result: OperationResult): void {
  serverUnreachable.set(isServerUnreachable(result));
}

/** Checks the session if it has ended or lost its role. */
function handleEndedSession(error: CombinedError): void {
  const codes = codesOf(error);
  if (error.response?.status === 401 || codes.includes('unauthenticated') || codes.includes('forbidden')) refetchSession();
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

const asked = new Map<number, Operation>();
// Whether a mutation finished while a query was pending: its answer may be older.
const pending = new Map<number, boolean>();

function trackQuery(operation: Operation): void {
  if (operation.kind !== 'query') return;
  asked.set(operation.key, operation);
  pending.set(operation.key, false);
}

/**
 * After a change, made or refused, everything that is shown is asked for again: another person may have changed it before. Answers that
 * never change are `cache-first`.
 */
function refetchAfterChange({ operation }: OperationResult): void {
  if (operation.kind === 'mutation') {
    for (const key of pending.keys()) pending.set(key, true);
    for (const query of asked.values()) if (query.context.requestPolicy !== 'cache-first') refetch(query);
  } else {
    if (pending.get(operation.key)) refetch(operation);
    pending.delete(operation.key);
  }
}

/** Makes a change, after which all queries of the page are fetched again. @throws RefusedError */
export async function change<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const { data, error } = await graphqlClient.mutation(document, variables).toPromise();
  if (error) throw new RefusedError(error);
  return data as Data;
}

const maxTries = 10;

/** Asks the server itself. A long download can exceed the rate limit: it then continues after the server's `Retry-After`. */
export async function queryPatiently<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  for (let tries = 1; ; tries++) {
    const { data, error } = await graphqlClient.query(document, variables, { requestPolicy: 'network-only' }).toPromise();
    if (data && !error) return data;
    const waitSeconds = Number((error?.response as Response | undefined)?.headers.get('Retry-After'));
    if (!(waitSeconds > 0) || tries === maxTries) throw error ? new RefusedError(error) : new Error('The server did not answer.');
    await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000));
  }
}
