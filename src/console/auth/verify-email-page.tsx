import { Text } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { paths } from '../paths.js';
import { TextLink } from '../ui/parts.js';
import { MessageCard } from './auth-card.js';
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
      <MessageCard title="This link is for another account" {...toAccount}>
        It changes the email of a different account than the one you’re signed in to{user && `, ${user.email}`}. Sign out or use another
        browser, then open the link again. It is still valid.
      </MessageCard>
    );
  if (search.has('error'))
    return (
      <MessageCard title="This link no longer works" {...toAccount}>
        It was already used, it is more than an hour old, or its address now belongs to another account.{' '}
        {user?.emailVerified
          ? `Your email ${user.email} is verified. If it’s the right one, you’re all set.`
          : 'If you already opened it, your email is verified and you’re all set. Otherwise, sign in and request a new link in Account.'}
      </MessageCard>
    );
  if (search.get('by') === 'first-link')
    return (
      <MessageCard title="One more link to open" {...toAccount}>
        Now open the link we sent to your new email. Your email won’t change until you do.
      </MessageCard>
    );
  if (!search.has('by') && !user)
    return (
      <MessageCard title="Verify your email" href={paths.signIn(paths.account)} action="Sign in">
        Open the link in our email. Sign in to see whether your email is verified.
      </MessageCard>
    );
  if (!search.has('by') && !user?.emailVerified)
    return (
      <MessageCard title="Your email is not verified yet" {...toAccount}>
        Open the link we sent to {user?.email}, or request a new one in Account.
      </MessageCard>
    );
  return (
    <MessageCard
      title="Your email is verified"
      href={paths.overview}
      action="Go to the console"
      footer={
        <Text size="sm">
          Didn’t sign up yourself? Someone else knows this account’s password.{' '}
          <TextLink href={paths.forgotPassword}>Set your own password</TextLink>
        </Text>
      }
    >
      Thank you. You can now use the console.
      {user && ' If you see passkeys, sessions or API tokens that aren’t yours, remove them in Account and Tokens.'}
    </MessageCard>
  );
}
