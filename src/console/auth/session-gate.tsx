import { Container } from '@mantine/core';
import type { ReactNode } from 'react';
import { Redirect } from 'wouter';
import { paths } from '../paths.js';
import { PageSkeleton } from '../shell/page-skeleton.js';
import { LoadFailed } from '../ui/load-failed.js';
import { useOneAccount } from './use-one-account.js';
import { type SignedInUser, useSignedInUser } from './use-signed-in-user.js';

/** Shows its content to signed-in people only. Others are sent to the sign-in, and from there back to this page. */
export function SessionGate({ children }: { children: (user: SignedInUser) => ReactNode }) {
  const { user, hasFailed, askAgain } = useSignedInUser();
  const isAnother = useOneAccount(user?.id);
  if (hasFailed) {
    return (
      <Container size="sm" py={80} component="main">
        <LoadFailed what="The console" onRetry={askAgain} />
      </Container>
    );
  }
  if (user === undefined || isAnother) return <PageSkeleton />;
  if (user === null) {
    const { pathname, search, hash } = window.location;
    return <Redirect to={paths.signIn(pathname + search + hash)} replace />;
  }
  return children(user);
}
