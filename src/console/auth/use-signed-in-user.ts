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
  /** Undefined while it is being loaded, or could not be loaded; null if nobody is signed in. */
  user: SignedInUser | null | undefined;
  /** Whether the server could not tell who is signed in. A user who was loaded before is kept. */
  hasFailed: boolean;
  retry: () => void;
}

/** The person who is signed in; loaded again when the window gets the focus back. */
export function useSignedInUser(): SignedIn {
  const { data, isPending, error, refetch } = authClient.useSession();
  const retry = () => void refetch();
  if (data) return { user: data.user as unknown as SignedInUser, hasFailed: false, retry };
  const hasFailed = error !== null && error.status !== 401;
  return { user: isPending || hasFailed ? undefined : null, hasFailed, retry };
}
