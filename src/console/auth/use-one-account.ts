import { useEffect } from 'react';
import { askForSession } from './auth-client.js';

// Of the account that was signed in first is all that this document has in memory.
let accountId: string | undefined;

/**
 * Keeps a document to one account. All tabs share the session, so another tab may sign in as somebody else; this one hears of it, and
 * is loaded anew before it shows the data of one account under the name of the other.
 * @returns whether it is about to be loaded anew
 */
export function useOneAccount(signedInId: string | undefined): boolean {
  accountId ??= signedInId;
  const isAnother = signedInId !== undefined && signedInId !== accountId;
  useEffect(() => {
    if (isAnother) window.location.reload();
  }, [isAnother]);
  useEffect(() => {
    if (!signedInId) return;
    const tabs = new BroadcastChannel('signed-in account');
    tabs.onmessage = ({ data }) => data !== signedInId && askForSession();
    tabs.postMessage(signedInId);
    return () => tabs.close();
  }, [signedInId]);
  return isAnother;
}
