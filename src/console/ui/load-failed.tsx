import { Alert, Button, Stack, Text } from '@mantine/core';

interface LoadFailedProps {
  what: string;
  message?: string | undefined;
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
        <Text size="sm">{message ?? 'Check your connection, or try again in a moment. Nothing was lost.'}</Text>
        <Button variant="default" size="sm" onClick={onRetry}>
          Try again
        </Button>
      </Stack>
    </Alert>
  );
}
