import { Alert } from '@mantine/core';

/** The message of a failed action; screen readers read it out as soon as it appears. */
export function ActionError({ error }: { error: Error | undefined }) {
  if (!error) return null;
  return (
    <Alert color="red" variant="outline" role="alert">
      {error.message}
    </Alert>
  );
}
