import { Button, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { isServerThere, useIsOnline } from './connection.js';
import { NextSteps } from './next-steps.js';
import { Page } from './page.js';
import { PageSkeleton } from './page-skeleton.js';
import { reloadOnce } from './reload-once.js';

/**
 * In place of a page whose script did not come. Most often a new version of the site has replaced it while the tab was open, so that a
 * reload brings the page. Where the server does not answer, a reload would put the browser's own error page in place of the application.
 */
export function NotFetched({ error }: { error: Error }) {
  const isOnline = useIsOnline();
  const [wasOffline] = useState(!isOnline);
  const [finding, setFinding] = useState<'asking' | 'away' | 'gone'>('asking');
  const [retries, setRetries] = useState(0);
  useEffect(() => {
    if (!isOnline) return;
    const asking = new AbortController();
    void isServerThere(asking.signal).then((isThere) => {
      if (asking.signal.aborted) return;
      if (!isThere) setFinding('away');
      else if (wasOffline || retries > 0) window.location.reload();
      else if (!reloadOnce()) setFinding('gone');
    });
    return () => asking.abort();
  }, [isOnline, wasOffline, retries]);

  if (!isOnline) {
    return (
      <Page title="You are offline">
        <Text role="status">This page was not fetched yet. It opens by itself as soon as the connection is back.</Text>
      </Page>
    );
  }
  if (finding === 'gone') {
    return (
      <Page title="This page could not be fetched">
        <Text mb="md" role="alert">
          The server did not give a part of it. Try again in a moment: nothing that was saved is lost.
        </Text>
        <NextSteps error={error} />
      </Page>
    );
  }
  if (finding === 'asking' && retries === 0) return <PageSkeleton />;
  const tryAgain = () => {
    setFinding('asking');
    setRetries(retries + 1);
  };
  return (
    <Page title="The server could not be reached">
      <Text mb="md" role="alert">
        This page was not fetched yet. The others that you opened before are still there.
      </Text>
      <Button loading={finding === 'asking'} onClick={tryAgain}>
        Try again
      </Button>
    </Page>
  );
}
