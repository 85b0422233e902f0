import { Text } from '@mantine/core';
import { Component, type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { useLocation } from 'wouter';
import { Page, PageSkeleton } from './page.js';
import { NextSteps, PageNotLoaded } from './page-not-loaded.js';

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
export class PageLoadError extends Error {}

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
