import { authClient } from './auth-client.js';

export interface SignedInUser {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
  role: string;
  createdAt: Date;
}

/** Who is signed in here: undefined while that is being asked, null for nobody. Asked again when the window gets the focus back. */
export function useSignedInUser(): SignedInUser | null | undefined {
  const { data, isPending } = authClient.useSession();
  if (data) return data.user as unknown as SignedInUser;
  return isPending ? undefined : null;
}
