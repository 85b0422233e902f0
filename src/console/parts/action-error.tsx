import { Alert } from '@mantine/core';
import { useEffect, useRef } from 'react';

/** The message of a failed action; screen readers read it out as soon as it appears. In a form it also takes the focus. */
export function ActionError({ error }: { error: Error | undefined }) {
  const message = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error && message.current?.closest('form')) message.current.focus();
  }, [error]);
  if (!error) return null;
  return (
    <Alert ref={message} color="red" variant="outline" role="alert" tabIndex={-1}>
      {error.message}
    </Alert>
  );
}
