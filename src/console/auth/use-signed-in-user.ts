import { authClient } from './auth-client.js';

export interface SignedInUser {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
  role: string;
  createdAt: Date;
}

interface SignedIn {
  /** Undefined while loading or if loading failed; null if nobody is signed in. */
  user: SignedInUser | null | undefined;
  /** Whether the session could not be loaded. A user who was loaded before is kept. */
  hasFailed: boolean;
  retry: () => void;
}

/** The signed-in user. Fetched again when the window regains the focus. */
export function useSignedInUser(): SignedIn {
  const { data, isPending, error, refetch } = authClient.useSession();
  const retry = () => void refetch();
  if (data) return { user: data.user as unknown as SignedInUser, hasFailed: false, retry };
  const hasFailed = error !== null && error.status !== 401;
  return { user: isPending || hasFailed ? undefined : null, hasFailed, retry };
}
