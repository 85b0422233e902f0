import { passkeyClient } from '@better-auth/passkey/client';
import { createAuthClient } from 'better-auth/react';

export const authClient = createAuthClient({ plugins: [passkeyClient()] });

/** Asks again who is signed in. If nobody is any more, `SessionGate` opens the sign-in. */
export const askForSession = (): void => authClient.$store.notify('$sessionSignal');

interface AuthAnswer<T> {
  data: T;
  error: { message?: string | undefined; status: number; statusText: string } | null;
}

/**
 * better-auth's client returns errors. This throws them, with a message for people, as `useAction` expects. A 401 may say that the
 * session has ended while somebody worked.
 */
export async function orThrow<T>(answer: Promise<AuthAnswer<T>>): Promise<T> {
  const { data, error } = await answer;
  if (error?.status === 401) askForSession();
  if (error) throw new Error(error.message || error.statusText || 'The server could not be reached. Check your connection.');
  return data;
}
