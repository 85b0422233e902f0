import { Alert } from '@mantine/core';
import { useIsOnline, useIsServerUnreachable } from './connection.js';

/** A notice while the device is offline or the server is unreachable. The page below it stays. */
export function ConnectionNotice() {
  const isOnline = useIsOnline();
  const isServerUnreachable = useIsServerUnreachable();
  if (isOnline && !isServerUnreachable) return null;
  return (
    <Alert color="orange" variant="outline" my="md" role="status" title={isOnline ? 'The server cannot be reached' : 'You are offline'}>
      This page may be out of date. {isOnline ? 'The next page or action tries again.' : 'It is updated when the connection is back.'}
    </Alert>
  );
}
