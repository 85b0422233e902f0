import { Text } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { useLocation } from 'wouter';
import { ErrorBoundary } from './error-boundary.js';
import { PageLoadError } from './lazy-page.js';
import { NextSteps } from './next-steps.js';
import { Page } from './page.js';
import { PageNotLoaded } from './page-not-loaded.js';
import { PageSkeleton } from './page-skeleton.js';

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
