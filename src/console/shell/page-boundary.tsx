import { Button, Code, Group, Text } from '@mantine/core';
import { Component, type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { paths } from '../paths.js';
import { isServerReachable, useIsOnline } from './connection.js';
import { Page, PageSkeleton } from './page.js';

interface PageBoundaryProps {
  /** Wraps the message if the page would have had its own frame. */
  frame?: (message: ReactNode) => ReactNode;
  children: ReactNode;
}

/** Wraps pages: shows a skeleton while a script loads, and a message if a page cannot be shown. A new path tries again. */
export function PageBoundary({ frame = (message) => message, children }: PageBoundaryProps) {
  const [path] = useLocation();
  return (
    <ErrorBoundary
      path={path}
      fallback={(error) => frame(error instanceof PageLoadError ? <PageNotLoaded error={error} /> : <Broken error={error} />)}
    >
      <Suspense fallback={<PageSkeleton />}>{children}</Suspense>
    </ErrorBoundary>
  );
}

function Broken({ error }: { error: Error }) {
  return (
    <Page title="Something went wrong on this page">
      <Text mb="md" role="alert">
        This is our fault. Everything that was saved is still there. If it happens again, send us the details below.
      </Text>
      <NextSteps error={error} />
    </Page>
  );
}

interface ErrorBoundaryProps {
  /** The current path. When it changes, the content is rendered again. */
  path?: string;
  fallback: (error: Error) => ReactNode;
  children: ReactNode;
}

/** Shows `fallback` if its content throws. React has no hook for this. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidUpdate(previous: ErrorBoundaryProps) {
    if (this.state.error && previous.path !== this.props.path) this.setState({ error: null });
  }

  override render() {
    return this.state.error ? this.props.fallback(this.state.error) : this.props.children;
  }
}

/** The script of a page could not be loaded: there is no connection, or a deploy has replaced it. */
class PageLoadError extends Error {}

/** A page whose script is loaded when it is opened, or at once if the document was opened at `path`. */
export function lazyPage<Props>(fetchPage: () => Promise<{ default: ComponentType<Props> }>, path?: string) {
  const fetchOrExplain = () =>
    fetchPage().catch((cause: Error) => {
      throw new PageLoadError(cause.message, { cause });
    });
  if (path === undefined || import.meta.env.SSR || window.location.pathname.replace(/\/$/, '') !== path) return lazy(fetchOrExplain);
  const fetched = fetchOrExplain();
  fetched.catch(() => {}); // rendering the page reports the error
  return lazy(() => fetched);
}

/**
 * Shown when the script of a page did not load. Usually a deploy has replaced it while the tab was open, and a reload fixes that. If the
 * server does not answer, there is no reload: it would replace the application with the browser's error page.
 */
function PageNotLoaded({ error }: { error: Error }) {
  const isOnline = useIsOnline();
  const [wasOffline] = useState(!isOnline);
  const [finding, setFinding] = useState<'asking' | 'away' | 'gone'>('asking');
  const [retries, setRetries] = useState(0);
  useEffect(() => {
    if (!isOnline) return;
    const asking = new AbortController();
    void isServerReachable(asking.signal).then((isThere) => {
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
        <Text role="status">This page has not loaded yet. It opens automatically when the connection is back.</Text>
      </Page>
    );
  }
  if (finding === 'gone') {
    return (
      <Page title="This page could not be loaded">
        <Text mb="md" role="alert">
          A part of it is missing on the server. Try again in a moment. Everything that was saved is still there.
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
        This page has not loaded yet. Pages that you opened before still work.
      </Text>
      <Button loading={finding === 'asking'} onClick={tryAgain}>
        Try again
      </Button>
    </Page>
  );
}

/**
 * Reloads the document to get the scripts of the deployed version. It does so once per version and tab: two servers with different
 * versions behind one address, or a file that is missing for good, must not cause an endless reload.
 */
function reloadOnce(): boolean {
  // The name of this script contains a hash of its content.
  const mark = `reloaded ${import.meta.url}`;
  try {
    if (sessionStorage.getItem(mark)) return false;
    sessionStorage.setItem(mark, 'yes');
  } catch {
    return false; // without storage, reloading could loop
  }
  window.location.reload();
  return true;
}

/** Says how to go on when a page could not be shown, and which details to report to us. */
function NextSteps({ error }: { error: Error }) {
  const [time] = useState(() => new Date().toISOString());
  const version = /[^/]+$/.exec(import.meta.url)?.[0];
  return (
    <>
      <Group mb="lg">
        <Button onClick={() => window.location.reload()}>Reload</Button>
        {/* Loads a new document, since this one is broken. */}
        <Button component="a" href={paths.home} variant="default">
          Go to the home page
        </Button>
      </Group>
      <Code block>{[`${error.name}: ${error.message}`, window.location.pathname, time, version].join('\n')}</Code>
    </>
  );
}
