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
  /** Puts a frame around the message, where the page would have brought its own. */
  frame?: (message: ReactNode) => ReactNode;
  children: ReactNode;
}

/** Around pages: a skeleton while their script is fetched, and a message where one cannot be shown. Another address is tried anew. */
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
    <Page title="Something broke on this page">
      <Text mb="md" role="alert">
        The fault is ours. Nothing that was saved is lost. If it happens again, tell us what is written below.
      </Text>
      <NextSteps error={error} />
    </Page>
  );
}
