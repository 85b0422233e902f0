import { Container } from '@mantine/core';
import type { ReactNode } from 'react';
import { Redirect, useLocation, useSearch } from 'wouter';
import { LoadFailed } from '../parts/load-failed.js';
import { PageSkeleton } from '../parts/page-skeleton.js';
import { paths } from '../paths.js';
import { type SignedInUser, useSignedInUser } from './use-signed-in-user.js';

/** Shows its content to signed-in people only. Others are sent to the sign-in, and from there back to this page. */
export function SessionGate({ children }: { children: (user: SignedInUser) => ReactNode }) {
  const { user, hasFailed, askAgain } = useSignedInUser();
  const [path] = useLocation();
  const search = useSearch();
  if (hasFailed) {
    return (
      <Container size="sm" py={80} component="main">
        <LoadFailed what="The console" onRetry={askAgain} />
      </Container>
    );
  }
  if (user === undefined) return <PageSkeleton />;
  if (user === null) return <Redirect to={paths.signIn(search ? `${path}?${search}` : path)} replace />;
  return children(user);
}
