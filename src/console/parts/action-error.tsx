import { Alert } from '@mantine/core';

/** Why something that was just tried did not work; read out as soon as it appears. */
export function ActionError({ error }: { error: Error | undefined }) {
  if (!error) return null;
  return (
    <Alert color="red" variant="outline" role="alert">
      {error.message}
    </Alert>
  );
}
