import { Alert } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';

/** Says so while the device has no network; what is on the screen stays. */
export function ConnectionNotice() {
  const { online } = useNetwork();
  if (online) return null;
  return (
    <Alert color="orange" variant="outline" mb="md" role="status" title="You are offline">
      What you see may be old. It is brought up to date when the connection is back.
    </Alert>
  );
}
