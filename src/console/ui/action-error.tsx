import { Alert, Anchor } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { StaleSignIn } from '../format/stale-sign-in.js';
import { paths } from '../paths.js';

/** The message of a failed action, and the way on if there is one; screen readers read it out as soon as it appears. In a form it also takes the focus. */
export function ActionError({ error }: { error: Error | undefined }) {
  const message = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error && message.current?.closest('form')) message.current.focus();
  }, [error]);
  if (!error) return null;
  return (
    <Alert ref={message} color="red" variant="outline" role="alert" tabIndex={-1}>
      {error.message}{' '}
      {error instanceof StaleSignIn && (
        <Anchor href={paths.signIn(window.location.pathname + window.location.search)} underline="always">
          Sign in once more, and come back here
        </Anchor>
      )}
    </Alert>
  );
}
