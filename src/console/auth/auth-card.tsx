import { Container, Paper, Stack, Title } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
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
