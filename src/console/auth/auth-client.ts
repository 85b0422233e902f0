import { passkeyClient } from '@better-auth/passkey/client';
import { createAuthClient } from 'better-auth/react';

export const authClient = createAuthClient({ plugins: [passkeyClient()] });

interface AuthAnswer<T> {
  data: T;
  error: { message?: string | undefined; status: number; statusText: string } | null;
}

/** better-auth's client returns errors. This throws them, with a message for people, as `useAction` expects. */
export async function orThrow<T>(answer: Promise<AuthAnswer<T>>): Promise<T> {
  const { data, error } = await answer;
  if (error) throw new Error(error.message || error.statusText || 'The server could not be reached. Check your connection.');
  return data;
}
