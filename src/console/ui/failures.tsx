import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { paths } from '../paths.js';

/** The action requires a recent sign-in. */
export class StaleSignInError extends Error {}

/** The message of a failed action, with a sign-in link if that helps. Screen readers announce it. In a form it also takes the focus. */
export function ActionError({ error }: { error: Error | undefined }) {
  const message = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error && message.current?.closest('form')) message.current.focus();
  }, [error]);
  if (!error) return null;
  return (
    <Alert ref={message} color="red" variant="outline" role="alert" tabIndex={-1}>
      {error.message}{' '}
      {error instanceof StaleSignInError && (
        <Anchor href={paths.signIn(window.location.pathname + window.location.search)} underline="always">
          Sign in again, and come back here
        </Anchor>
      )}
    </Alert>
  );
}

interface LoadFailedProps {
  what: string;
  message: string;
  /** Whether older data is shown below. */
  isOldShown?: boolean;
  onRetry: () => void;
}

/** Says that something could not be loaded, and offers a retry. */
export function LoadFailed({ what, message, isOldShown = false, onRetry }: LoadFailedProps) {
  const title = isOldShown ? `${what} could not be updated` : `${what} could not be loaded`;
  return (
    <Alert color="red" variant="outline" title={title} role="alert" mb={isOldShown ? 'md' : undefined}>
      <Stack align="flex-start" gap="sm">
        <Text size="sm">{message}</Text>
        <Button variant="default" size="sm" onClick={onRetry}>
          Try again
        </Button>
      </Stack>
    </Alert>
  );
}
