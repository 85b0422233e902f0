import { Alert } from '@mantine/core';
import { useIsOnline, useIsServerAway } from './connection.js';

/** A notice while there is no network, or the server cannot be reached; the page below it stays. */
export function ConnectionNotice() {
  const isOnline = useIsOnline();
  const isServerAway = useIsServerAway();
  if (isOnline && !isServerAway) return null;
  return (
    <Alert color="orange" variant="outline" my="md" role="status" title={isOnline ? 'The server cannot be reached' : 'You are offline'}>
      What you see may be old. {isOnline ? 'The next page or action tries again.' : 'It is brought up to date when the connection is back.'}
    </Alert>
  );
}
