import { type ReactNode, Suspense } from 'react';
import { useLocation } from 'wouter';
import { ErrorBoundary } from './error-boundary.js';
import { PageFailed } from './page-failed.js';
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
    <ErrorBoundary path={path} fallback={(error) => frame(<PageFailed error={error} />)}>
      <Suspense fallback={<PageSkeleton />}>{children}</Suspense>
    </ErrorBoundary>
  );
}
