import { Button, Code, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { paths } from '../paths.js';
import { useIsOnline } from './connection.js';
import { PageNotFetched } from './lazy-page.js';
import { Page } from './page.js';
import { PageSkeleton } from './page-skeleton.js';
import { reloadOnce } from './reload-once.js';

/** In place of a page that could not be shown: what happened, and what to do next. */
export function PageFailed({ error }: { error: Error }) {
  return error instanceof PageNotFetched ? <NotFetched error={error} /> : <Broken error={error} />;
}

/** Tries once by itself: most often a new version of the site has replaced the script while the tab was open. */
function NotFetched({ error }: { error: Error }) {
  const isOnline = useIsOnline();
  const [wasOffline] = useState(!isOnline);
  const [hasGivenUp, setHasGivenUp] = useState(false);
  useEffect(() => {
    if (!isOnline) return;
    if (wasOffline) window.location.reload();
    else if (!reloadOnce()) setHasGivenUp(true);
  }, [isOnline, wasOffline]);

  if (!isOnline) {
    return (
      <Page title="You are offline">
        <Text role="status">This page was not fetched yet. It opens by itself as soon as the connection is back.</Text>
      </Page>
    );
  }
  if (!hasGivenUp) return <PageSkeleton />;
  return (
    <Page title="This page could not be fetched">
      <Text mb="md" role="alert">
        The server did not give a part of it. Try again in a moment: nothing that was saved is lost.
      </Text>
      <NextSteps error={error} />
    </Page>
  );
}

function Broken({ error }: { error: Error }) {
  return (
    <Page title="Something broke on this page">
      <Text mb="md" role="alert">
        The fault is ours. Nothing that was saved is lost. If it happens again, tell us what is written below.
      </Text>
      <NextSteps error={error} />
    </Page>
  );
}

function NextSteps({ error }: { error: Error }) {
  const [time] = useState(() => new Date().toISOString());
  const version = /[^/]+$/.exec(import.meta.url)?.[0];
  return (
    <>
      <Group mb="lg">
        <Button onClick={() => window.location.reload()}>Reload</Button>
        {/* Loaded as a new document, since this one is broken. */}
        <Button component="a" href={paths.home} variant="default">
          To the first page
        </Button>
      </Group>
      <Code block>{[`${error.name}: ${error.message}`, window.location.pathname, time, version].join('\n')}</Code>
    </>
  );
}
