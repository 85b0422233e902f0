import { Alert } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';

/** A notice while the device has no network; the page below it stays. */
export function ConnectionNotice() {
  const { online } = useNetwork();
  if (online) return null;
  return (
    <Alert color="orange" variant="outline" mb="md" role="status" title="You are offline">
      What you see may be old. It is brought up to date when the connection is back.
    </Alert>
  );
}
