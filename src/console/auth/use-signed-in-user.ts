import { sharedValue } from '../hooks/shared-value.js';
import { loadScript } from '../shell/connection.js';
import type { AuthAnswer } from './auth-client.js';

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
}

type AuthClient = typeof import('./auth-client.js').authClient;

/** For public pages and their forms: better-auth's client is 20 KB, and no page needs it for its first content. */
const loadAuthClient = () => loadScript(() => import('./auth-client.js'));

const signedIn = sharedValue<SignedIn>({ user: userOfDocument(), hasFailed: false });
let follows = false;

/** The signed-in user: at first the one that the server wrote into the document. */
export const useSignedInUser = (): SignedIn => signedIn.useValue();

export const signedInUser = (): SignedIn['user'] => signedIn.get().user;

/** Fetches the session again. If it has ended, `SessionGate` opens the sign-in page. */
export function refetchSession(): void {
  if (!follows) followSession();
  else void loadAuthClient().then(({ authClient }) => authClient.$store.notify('$sessionSignal'));
}

/** From now on, better-auth fetches the session: now, when the window regains the focus, and after a sign-out in another tab. */
export function followSession(): void {
  if (follows) return;
  follows = true;
  loadAuthClient().then(
    ({ authClient }) =>
      authClient.$store.atoms.session!.subscribe(({ data, isPending, error }: ReturnType<AuthClient['useSession']>) => {
        if (data) signedIn.set({ user: data.user as unknown as SignedInUser, hasFailed: false });
        else if (error && error.status !== 401) keepOrFail();
        else if (!isPending) signedIn.set({ user: null, hasFailed: false });
        else if (signedIn.get().user === undefined) signedIn.set({ user: undefined, hasFailed: false });
      }),
    () => {
      follows = false;
      keepOrFail();
    },
  );
}

/** For pages that will call it. A failure is reported by the call, which tries again. */
export function preloadAuthClient(): void {
  loadAuthClient().catch(() => {});
}

/** Calls better-auth, for pages that do so only when a button is clicked. Throws as `orThrow`. */
export async function callAuth<T>(call: (client: AuthClient) => Promise<AuthAnswer<T>>): Promise<T> {
  const { authClient, orThrow } = await loadAuthClient();
  return orThrow(call(authClient));
}

const keepOrFail = () => signedIn.set({ user: signedIn.get().user ?? undefined, hasFailed: !signedIn.get().user });

/** Undefined if the server did not say, as when it could not reach its database. */
function userOfDocument(): SignedInUser | null | undefined {
  if (import.meta.env.SSR) return undefined;
  const said = document.querySelector<HTMLMetaElement>('meta[name=signed-in-user]')?.content;
  const user: SignedInUser | null | undefined = said && JSON.parse(said);
  return user && { ...user, createdAt: new Date(user.createdAt) };
}
