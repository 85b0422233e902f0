import { passkeyClient } from '@better-auth/passkey/client';
import { createAuthClient } from 'better-auth/react';
import { serverUnreachableMessage } from '../shell/connection.js';
import { StaleSignInError } from '../ui/parts.js';

export const authClient = createAuthClient({ plugins: [passkeyClient()] });

export interface AuthAnswer<T> {
  data: T;
  error: { error?: string; code?: string | undefined; message?: string | undefined; status: number; statusText: string } | null;
}

/** Replaces messages of better-auth that do not say what to do. */
const friendlyMessages: Record<string, string> = {
  INVALID_PASSWORD: 'The current password is wrong.',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 'An account with this address already exists. Sign in, or reset your password.',
};

/** A mailed link was already used or has expired. */
export class InvalidLinkError extends Error {}

/**
 * better-auth's client returns errors, but throws if there was no answer. This throws in both cases, with a message for users, as
 * `useAction` expects. A 401 may mean that the session has ended.
 */
export async function orThrow<T>(answer: Promise<AuthAnswer<T>>): Promise<T> {
  const { data, error } = await answer.catch(explain);
  if (error?.status === 401) authClient.$store.notify('$sessionSignal');
  if (!error) return data;
  // A proxy sends no message, and its status text does not help users.
  const wordless = error.status >= 500 ? 'Something went wrong on our side. Try again in a moment.' : error.statusText;
  const message = friendlyMessages[error.code ?? ''] ?? (error.message || wordless || serverUnreachableMessage);
  if (error.code === 'INVALID_TOKEN' || error.error === 'not_found') throw new InvalidLinkError(message);
  if (error.code === 'SESSION_NOT_FRESH') throw new StaleSignInError('You last signed in more than ten minutes ago.');
  throw error.error === 'forbidden' ? new StaleSignInError(message) : new Error(message);
}

/** Each browser words a network error differently, but all throw a TypeError. */
function explain(failure: unknown): never {
  throw failure instanceof TypeError ? new Error(serverUnreachableMessage, { cause: failure }) : failure;
}
