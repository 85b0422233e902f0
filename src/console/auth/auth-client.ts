import { passkeyClient } from '@better-auth/passkey/client';
import { createAuthClient } from 'better-auth/react';

export const authClient = createAuthClient({ plugins: [passkeyClient()] });

interface AuthAnswer<T> {
  data: T;
  error: { message?: string | undefined; status: number; statusText: string } | null;
}

/** The client answers with an error instead of throwing it; a form wants it thrown, in words for people. */
export async function orThrow<T>(answer: Promise<AuthAnswer<T>>): Promise<T> {
  const { data, error } = await answer;
  if (error) throw new Error(error.message || error.statusText || 'The server could not be reached. Check your connection.');
  return data;
}
