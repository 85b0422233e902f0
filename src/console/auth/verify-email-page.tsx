import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'wouter';
import { paths } from '../paths.js';
import { TextLink } from '../ui/parts.js';
import { AuthCard } from './auth-card.js';
import { ConfirmAddress } from './confirm-address.js';
import { useSignedInUser } from './use-signed-in-user.js';

/** Opened by a mailed link after the server has checked it. Opened in another way, it shows whether the address is verified. */
export default function VerifyEmailPage() {
  const [search] = useSearchParams();
  const { user } = useSignedInUser();
  const token = search.get('token');
  if (token) return <ConfirmAddress token={token} />;
  const toAccount = { href: paths.account, action: 'Go to my account' };
  if (search.get('error') === 'INVALID_USER')
    return (
      <Message title="This link is for another account" {...toAccount}>
        It changes the email of a different account than the one you’re signed in to{user && `, ${user.email}`}. Sign out or use another
        browser, then open the link again. It is still valid.
      </Message>
    );
  if (search.has('error'))
    return (
      <Message title="This link no longer works" {...toAccount}>
        It was already used, it is more than an hour old, or its address now belongs to another account.{' '}
        {user?.emailVerified
          ? `Your email ${user.email} is verified. If it’s the right one, you’re all set.`
          : 'If you already opened it, your email is verified and you’re all set. Otherwise, sign in and request a new link in Account.'}
      </Message>
    );
  if (search.get('by') === 'first-link')
    return (
      <Message title="One more link to open" {...toAccount}>
        Now open the link we sent to your new email. Your email won’t change until you do.
      </Message>
    );
  if (!search.has('by') && user && !user.emailVerified)
    return (
      <Message title="Your email is not verified yet" {...toAccount}>
        Open the link we sent to {user.email}, or request a new one in Account.
      </Message>
    );
  if (!search.has('by') && !user)
    return (
      <Message title="Verify your email" href={paths.signIn(paths.account)} action="Sign in">
        Open the link in our email. Sign in to see whether your email is verified.
      </Message>
    );
  return (
    <AuthCard title="Your email is verified">
      <Text>Thank you. You can now use the console.</Text>
      {user && <Text>If you see passkeys, sessions or API tokens that aren’t yours, remove them in Account and Tokens.</Text>}
      <Button component={Link} href={paths.overview}>
        Go to the console
      </Button>
      <Text size="sm">
        Didn’t sign up yourself? Someone else knows this account’s password.{' '}
        <TextLink href={paths.forgotPassword}>Set your own password</TextLink>
      </Text>
    </AuthCard>
  );
}

const Message = ({ title, href, action, children }: { title: string; href: string; action: string; children: ReactNode }) => (
  <AuthCard title={title}>
    <Text>{children}</Text>
    <Button component={Link} href={href}>
      {action}
    </Button>
  </AuthCard>
);
