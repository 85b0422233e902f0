import { Client, type CombinedError, cacheExchange, fetchExchange, mapExchange } from 'urql';
import { authClient } from '../auth/auth-client.js';

/** The only GraphQL client of the console. Cached answers are shown at once and fetched again. */
export const graphqlClient = new Client({
  url: '/graphql',
  exchanges: [cacheExchange, mapExchange({ onError: noticeEndOfSession }), fetchExchange],
  requestPolicy: 'cache-and-network',
  preferGetMethod: false,
});

/** The message of an error, for people. */
export function messageOf(error: CombinedError): string {
  if (error.networkError && !error.response) return 'The server could not be reached. Check your connection.';
  return error.graphQLErrors[0]?.message ?? 'Something went wrong on our side.';
}

/** After a 401 the session is loaded again; if there is none any more, `SessionGate` opens the sign-in. */
function noticeEndOfSession(error: CombinedError): void {
  const codes = error.graphQLErrors.map(({ extensions }) => extensions?.code);
  if (error.response?.status === 401 || codes.includes('unauthenticated')) authClient.$store.notify('$sessionSignal');
}
