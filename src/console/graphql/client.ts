import { Client, type CombinedError, cacheExchange, fetchExchange, mapExchange } from 'urql';
import { authClient } from '../auth/auth-client.js';

/** The console's one way to the server's data. Cached answers are shown at once and asked for again. */
export const graphqlClient = new Client({
  url: '/graphql',
  exchanges: [cacheExchange, mapExchange({ onError: noticeEndOfSession }), fetchExchange],
  requestPolicy: 'cache-and-network',
  preferGetMethod: false,
});

/** What a person should read of a failure. */
export function messageOf(error: CombinedError): string {
  if (error.networkError && !error.response) return 'The server could not be reached. Check your connection.';
  return error.graphQLErrors[0]?.message ?? 'Something went wrong on our side.';
}

/** Asks who is signed in; when nobody is, the gate around the pages leads to the sign-in and back. */
function noticeEndOfSession(error: CombinedError): void {
  const codes = error.graphQLErrors.map(({ extensions }) => extensions?.code);
  if (error.response?.status === 401 || codes.includes('unauthenticated')) authClient.$store.notify('$sessionSignal');
}
