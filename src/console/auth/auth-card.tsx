import { Button, type ButtonProps, Container, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { useIsHydrated } from '../hooks/shared-value.js';
import { SiteFrame } from '../shell/site-frame.js';
import { ActionError } from '../ui/parts.js';

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

interface MessageCardProps extends Pick<AuthCardProps, 'title' | 'children' | 'footer'> {
  href: string;
  action: string;
}

/** The same frame around a message, and a button that leads to what to do next. */
export const MessageCard = ({ title, href, action, children, footer }: MessageCardProps) => (
  <AuthCard title={title} footer={footer}>
    <Text role="status">{children}</Text>
    <Button component={Link} href={href}>
      {action}
    </Button>
  </AuthCard>
);

/** Disabled until the script runs: before, the browser would send the form itself, with the password in the address. */
export function SubmitButton({ loading = false, disabled = false, children }: ButtonProps) {
  const isHydrated = useIsHydrated();
  return (
    <Button type="submit" loading={loading} disabled={disabled || !isHydrated}>
      {children}
    </Button>
  );
}

/**
 * The page that the user requested before signing in. It comes from a link, so check it with `safeReturnPath`. It is not read through
 * wouter, which decodes the search twice and would break escaped URLs.
 */
export const requestedReturn = (): string | null => new URLSearchParams(window.location.search).get('return');

/** The same, for what a page shows: the server writes it for everybody, without what a link requests. */
export function useRequestedReturn(): string | null {
  return useIsHydrated() ? requestedReturn() : null;
}

const [leastLength, strongLength] = [8, 15];

/** A field for a password that somebody chooses, which says how strong it is by what counts most: its length. The server refuses common ones. */
export function NewPasswordInput({ label, name }: { label: string; name: string }) {
  const [length, setLength] = useState(0);
  return (
    <PasswordInput
      label={label}
      description={hintOf(length)}
      descriptionProps={{ 'aria-live': 'polite' }}
      name={name}
      autoComplete="new-password"
      required
      minLength={leastLength}
      onChange={(event) => setLength([...event.currentTarget.value].length)}
    />
  );
}

function hintOf(length: number): string {
  if (length === 0) return `At least ${leastLength} characters. A few words in a row are strong and easy to remember.`;
  if (length < leastLength) return `Too short: ${leastLength - length} more`;
  return length < strongLength ? `Fair. From ${strongLength} characters on it is strong.` : 'Strong, unless others use it, too.';
}
