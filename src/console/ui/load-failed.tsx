import { Alert, Button, Stack, Text } from '@mantine/core';

interface LoadFailedProps {
  what: string;
  message?: string | undefined;
  /** Whether what was loaded before is in view below. */
  isOldShown?: boolean;
  onRetry: () => void;
}

/** Says that something could not be loaded, and offers to try again. */
export function LoadFailed({ what, message, isOldShown = false, onRetry }: LoadFailedProps) {
  const title = isOldShown ? `${what} could not be brought up to date` : `${what} could not be loaded`;
  return (
    <Alert color="red" variant="outline" title={title} role="alert" mb={isOldShown ? 'md' : undefined}>
      <Stack align="flex-start" gap="sm">
        <Text size="sm">{message ?? 'Check your connection, or try again in a moment. Nothing is lost.'}</Text>
        <Button variant="default" size="sm" onClick={onRetry}>
          Try again
        </Button>
      </Stack>
    </Alert>
  );
}
