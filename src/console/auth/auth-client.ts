import { passkeyClient } from '@better-auth/passkey/client';
import { createAuthClient } from 'better-auth/react';
import { StaleSignIn } from '../format/stale-sign-in.js';
import { serverAwayMessage } from '../shell/connection.js';

export const authClient = createAuthClient({ plugins: [passkeyClient()] });

/** Asks again who is signed in. If nobody is any more, `SessionGate` opens the sign-in. */
export const askForSession = (): void => authClient.$store.notify('$sessionSignal');

interface AuthAnswer<T> {
  data: T;
  error: { error?: string; code?: string | undefined; message?: string | undefined; status: number; statusText: string } | null;
}

/** Where better-auth's message does not say what to do. */
const ownWords: Record<string, string> = {
  INVALID_PASSWORD: 'The present password is wrong.',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 'There is an account with this address. Sign in, or choose a new password there.',
};

/** The mailed link to a new password is used up or too old. */
export class UsedLink extends Error {}

/**
 * better-auth's client returns errors, but throws where no answer came. This throws both, with a message for people, as `useAction`
 * expects. A 401 may say that the session has ended while somebody worked.
 */
export async function orThrow<T>(answer: Promise<AuthAnswer<T>>): Promise<T> {
  const { data, error } = await answer.catch(explain);
  if (error?.status === 401) askForSession();
  if (!error) return data;
  // A proxy in front of the server has no message, and its words for a status are nobody's.
  const wordless = error.status >= 500 ? 'Something went wrong on our side. Try again in a moment.' : error.statusText;
  const message = ownWords[error.code ?? ''] ?? (error.message || wordless || serverAwayMessage);
  if (error.code === 'INVALID_TOKEN') throw new UsedLink(message);
  if (error.code === 'SESSION_NOT_FRESH') throw new StaleSignIn('Your last sign-in is more than ten minutes ago.');
  throw error.error === 'forbidden' ? new StaleSignIn(message) : new Error(message);
}

/** Each browser has its own words for a request without an answer, but all throw a TypeError. */
function explain(failure: unknown): never {
  throw failure instanceof TypeError ? new Error(serverAwayMessage, { cause: failure }) : failure;
}
