import { Container } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Redirect } from 'wouter';
import { paths } from '../paths.js';
import { tryAgainMessage } from '../shell/connection.js';
import { PageSkeleton } from '../shell/page.js';
import { LoadFailed } from '../ui/parts.js';
import { followSession, refetchSession, type SignedInUser, useSignedInUser } from './use-signed-in-user.js';

/** Shows its content to signed-in users only. Others are sent to the sign-in page, and from there back to this page. */
export function SessionGate({ children }: { children: (user: SignedInUser) => ReactNode }) {
  const { user, hasFailed } = useSignedInUser();
  useFollowedSession(user !== undefined);
  const hasAccountChanged = useReloadOnAccountChange(user?.id);
  if (hasFailed) {
    return (
      <Container size="sm" py={80} component="main">
        <LoadFailed what="The console" message={tryAgainMessage} onRetry={refetchSession} />
      </Container>
    );
  }
  if (user === undefined || hasAccountChanged) return <PageSkeleton />;
  if (user === null) {
    const { pathname, search, hash } = window.location;
    return <Redirect to={paths.signIn(pathname + search + hash)} replace />;
  }
  return children(user);
}

/** A session that the document told is fetched again once the page has nothing else to do. Safari has no idle callbacks. */
function useFollowedSession(isKnown: boolean): void {
  useEffect(() => {
    if (isKnown) (window.requestIdleCallback ?? setTimeout)(followSession);
    else followSession();
  }, [isKnown]);
}

// The account whose data this document has in memory: the first one that was signed in.
let accountId: string | undefined;

/**
 * Keeps a document to one account. All tabs share the session, so another tab may sign in as a different user. This tab is notified and
 * reloads before it can show the data of one account under the name of another.
 * @returns whether a reload is about to happen
 */
function useReloadOnAccountChange(signedInId: string | undefined): boolean {
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
