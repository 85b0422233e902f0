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
  /** Undefined while that is being asked, or could not be; null for nobody. */
  user: SignedInUser | null | undefined;
  /** The server could not say who is signed in. Who was known before stays known. */
  hasFailed: boolean;
  askAgain: () => void;
}

/** Who is signed in here; asked again when the window gets the focus back. */
export function useSignedInUser(): SignedIn {
  const { data, isPending, error, refetch } = authClient.useSession();
  const askAgain = () => void refetch();
  if (data) return { user: data.user as unknown as SignedInUser, hasFailed: false, askAgain };
  const hasFailed = error !== null && error.status !== 401;
  return { user: isPending || hasFailed ? undefined : null, hasFailed, askAgain };
}
