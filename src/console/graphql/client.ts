import { useWindowEvent } from '@mantine/hooks';
import { refetchSession } from '../auth/use-signed-in-user.js';
import { syncServerClock } from '../format.js';
import { type Answer, useRemote } from '../hooks/use-remote.js';
import { serverUnreachable, serverUnreachableMessage } from '../shell/connection.js';
import type { TypedDocumentString } from './operations.js';

interface Fault {
  message: string;
  extensions?: { code?: string; details?: { parameter: string; message: string }[] };
}

// After these refusals, earlier answers must no longer be shown.
const endingCodes = ['unauthenticated', 'forbidden', 'not_found', 'invalid_request'];

/** Why the server did not do what was asked for, in words for users. */
export class RefusedError extends Error {
  readonly codes: (string | undefined)[];
  readonly endsAnswer: boolean;

  /** @param response undefined: none came */
  constructor(
    readonly response: Response | undefined,
    readonly faults: Fault[],
  ) {
    const codes = faults.map(({ extensions }) => extensions?.code);
    const reference = codes.includes('internal') ? ` Please report this reference: ${response?.headers.get('x-request-id')}` : '';
    super(response ? (faults[0]?.message ?? 'Something went wrong on our side.') + reference : serverUnreachableMessage);
    this.codes = codes;
    this.endsAnswer = codes.some((code) => code !== undefined && endingCodes.includes(code));
  }
}

/** Whether the server refused with a code. */
export const isRefused = (error: Error | undefined, code: string): boolean => error instanceof RefusedError && error.codes.includes(code);

/** Why the server refused a parameter, to show beside its field; undefined if it did not. */
export function refusalOf(error: Error | undefined, parameter: string): string | undefined {
  if (!(error instanceof RefusedError)) return undefined;
  const fault = error.faults.flatMap(({ extensions }) => extensions?.details ?? []).find((one) => one.parameter === parameter);
  return fault && `It ${fault.message}.`;
}

// How often the server could not be reached. An answer to what was asked before that does not say that it is there again.
let losses = 0;

type Document<Data, Variables> = TypedDocumentString<Data, Variables>;

/**
 * Asks the server. A partial answer with an error is none, because what is missing in it would look as if it did not exist.
 * @throws RefusedError
 */
export async function ask<Data, Variables>(document: Document<Data, Variables>, variables: Variables, headers?: object): Promise<Data> {
  const query = document.toString();
  const lossesBefore = losses;
  const [, kind, operationName] = /^\s*(query|mutation) (\w+)/.exec(query)!;
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json, application/json', ...headers },
    body: JSON.stringify({ operationName, query, variables }),
  }).catch(() => undefined);
  syncServerClock(response?.headers.get('Date') ?? null);
  const { data, errors = [] }: { data?: Data; errors?: Fault[] } = (await response?.json().catch(() => undefined)) ?? {};
  const isAnswered = data != null && errors.length === 0;
  const error = new RefusedError(response, errors);
  const isAway = !response || [502, 503, 504].includes(response.status) || (kind === 'query' && error.codes.includes('unavailable'));
  if (!isAnswered && isAway) {
    losses++;
    serverUnreachable.set(true);
  } else if (losses === lossesBefore) serverUnreachable.set(false);
  if (isAnswered) return data;
  // The session has ended or lost its role.
  if (response?.status === 401 || error.codes.includes('unauthenticated') || error.codes.includes('forbidden')) refetchSession();
  throw error;
}

const pending = new Map<string, Promise<unknown>>();

interface Options {
  /** Does not ask yet. */
  pause?: boolean;
  /** The answer never changes. */
  isFixed?: boolean;
  /** No change here affects the answer, which takes long. */
  isOfOthers?: boolean;
}

/** Answers a query: at first with the kept answer, then with the server's new one. */
export function useAnswer<Data, Variables>(document: Document<Data, Variables>, variables: Variables, options: Options = {}): Answer<Data> {
  const { pause = false, isFixed = false, isOfOthers = false } = options;
  const question = `${document} ${JSON.stringify(variables)}`;
  // Two parts of a page that ask for the same share the request.
  const load = (): Promise<Data> => {
    const asking = (pending.get(question) as Promise<Data> | undefined) ?? ask(document, variables);
    pending.set(question, asking);
    const end = () => pending.get(question) === asking && pending.delete(question);
    asking.then(end, end);
    return asking;
  };
  const answer = useRemote(pause ? undefined : question, load, isFixed);
  useWindowEvent(isOfOthers ? 'unchanged' : changed, answer.refetch);
  return answer;
}

const changed = 'parcel-records-changed';

/**
 * Makes a change. Afterwards, whether it was made or refused, everything that is shown is asked for again: another person may have changed
 * it before. The answer to what was asked for meanwhile may be older than the change, and is not waited for.
 * @throws RefusedError
 */
export async function change<Data, Variables>(document: Document<Data, Variables>, variables: Variables): Promise<Data> {
  try {
    return await ask(document, variables);
  } finally {
    pending.clear();
    window.dispatchEvent(new Event(changed));
  }
}

const maxTries = 10;

/** Asks the server itself. A long download can exceed the rate limit: it then continues after the server's `Retry-After`. */
export async function queryPatiently<Data, Variables>(document: Document<Data, Variables>, variables: Variables): Promise<Data> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask(document, variables);
    } catch (error) {
      const waitSeconds = Number((error as RefusedError).response?.headers.get('Retry-After'));
      if (!(waitSeconds > 0) || tries === maxTries) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000));
    }
  }
}
