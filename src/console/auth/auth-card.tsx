import { Button, Container, Paper, Stack, Text, Title } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useIsHydrated } from '../hooks/use-is-hydrated.js';
import { SiteFrame } from '../shell/site-frame.js';
import { ActionError } from '../ui/failures.js';

interface AuthCardProps {
  title: string;
  /** Makes the card a form. It gets the field values by name. */
  onSubmit?: (fields: Record<string, string>) => void;
  error?: Error | undefined;
  children: ReactNode;
  footer?: ReactNode;
}

/** The frame of the pages for signing up, signing in and resetting the password. */
export function AuthCard({ title, onSubmit, error, children, footer }: AuthCardProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit?.(Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>);
  };
  const content = (
    <Stack>
      <ActionError error={error} />
      {onSubmit && (
        <noscript>
          <Text>This form needs JavaScript. Switch it on and reload the page.</Text>
        </noscript>
      )}
      {children}
    </Stack>
  );
  return (
    <SiteFrame title={`${title} – Parcel Records`}>
      <Container size={440} py={{ base: 'lg', sm: 56 }}>
        <Title order={1} size="h2" mb="lg">
          {title}
        </Title>
        <Paper withBorder p="lg">
          {onSubmit ? <form onSubmit={submit}>{content}</form> : content}
        </Paper>
        {footer && (
          <Stack gap="xs" mt="md">
            {footer}
          </Stack>
        )}
      </Container>
    </SiteFrame>
  );
}

interface SubmitButtonProps {
  isBusy: boolean;
  disabled?: boolean;
  children: ReactNode;
}

/** Disabled until the script runs: before, the browser would send the form itself, with the password in the address. */
export function SubmitButton({ isBusy, disabled = false, children }: SubmitButtonProps) {
  const isHydrated = useIsHydrated();
  return (
    <Button type="submit" loading={isBusy} disabled={disabled || !isHydrated}>
      {children}
    </Button>
  );
}
