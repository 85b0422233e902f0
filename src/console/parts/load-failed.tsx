import { Alert, Button, Stack, Text } from '@mantine/core';

/** Says that something could not be loaded, and offers to try again. */
export function LoadFailed({ what, message, onRetry }: { what: string; message?: string | undefined; onRetry: () => void }) {
  return (
    <Alert color="red" variant="outline" title={`${what} could not be loaded`} role="alert">
      <Stack align="flex-start" gap="sm">
        <Text size="sm">{message ?? 'Check your connection, or try again in a moment. Nothing is lost.'}</Text>
        <Button variant="default" size="sm" onClick={onRetry}>
          Try again
        </Button>
      </Stack>
    </Alert>
  );
}
