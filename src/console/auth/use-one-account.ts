import { useEffect } from 'react';
import { refetchSession } from './auth-client.js';

// Of the account that was signed in first is all that this document has in memory.
let accountId: string | undefined;

/**
 * Keeps a document to one account. All tabs share the session, so another tab may sign in as somebody else; this one hears of it, and
 * is loaded anew before it shows the data of one account under the name of the other.
 * @returns whether it is about to be loaded anew
 */
export function useReloadOnAccountChange(signedInId: string | undefined): boolean {
  accountId ??= signedInId;
  const hasAccountChanged = signedInId !== undefined && signedInId !== accountId;
  useEffect(() => {
    if (hasAccountChanged) window.location.reload();
  }, [hasAccountChanged]);
  useEffect(() => {
    if (!signedInId) return;
    const tabs = new BroadcastChannel('signed-in account');
    tabs.onmessage = ({ data }) => data !== signedInId && refetchSession();
    tabs.postMessage(signedInId);
    return () => tabs.close();
  }, [signedInId]);
  return hasAccountChanged;
}
