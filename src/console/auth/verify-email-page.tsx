import { Anchor, Button, Text } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { paths } from '../paths.js';
import { AuthCard } from './auth-card.js';
import { ConfirmAddress } from './confirm-address.js';
import { useSignedInUser } from './use-signed-in-user.js';

/** Opened by a mailed link after the server has checked it. Opened in another way, it shows whether the address is verified. */
export default function VerifyEmailPage() {
  const [search] = useSearchParams();
  const { user } = useSignedInUser();
  const token = search.get('token');
  if (token) return <ConfirmAddress token={token} />;
  if (search.get('error') === 'INVALID_USER') {
    return (
      <AuthCard title="This link is for another account">
        <Text>
          It changes the address of a different account than the one signed in here{user && `, ${user.email}`}. Sign out or use another
          browser, and open the link again. It is still valid.
        </Text>
        <Button component={Link} href={paths.account}>
          Go to my account
        </Button>
      </AuthCard>
    );
  }
  if (search.has('error')) {
    return (
      <AuthCard title="This link no longer works">
        <Text>
          It was already used, it is more than an hour old, or its address now belongs to another account.{' '}
          {user?.emailVerified
            ? `Your address ${user.email} is verified. If that is the right one, there is nothing left to do.`
            : 'If you have already used it, your address is verified and there is nothing left to do. Otherwise sign in and request a new link under Account.'}
        </Text>
        <Button component={Link} href={paths.account}>
          Go to my account
        </Button>
      </AuthCard>
    );
  }
  if (search.get('by') === 'first-link') {
    return (
      <AuthCard title="One more link to open">
        <Text>Now open the link that we sent to the new address. Until then your address does not change.</Text>
        <Button component={Link} href={paths.account}>
          Go to my account
        </Button>
      </AuthCard>
    );
  }
  if (!search.has('by') && !user?.emailVerified) {
    return user ? (
      <AuthCard title="Your address is not verified yet">
        <Text>Open the link in the email that we sent to {user.email}, or request a new one under Account.</Text>
        <Button component={Link} href={paths.account}>
          Go to my account
        </Button>
      </AuthCard>
    ) : (
      <AuthCard title="Verify your address">
        <Text>Open the link in our email. Account in the console shows whether your address is verified.</Text>
        <Button component={Link} href={paths.signIn(paths.account)}>
          Sign in
        </Button>
      </AuthCard>
    );
  }
  return (
    <AuthCard title="Your address is verified">
      <Text>Thank you. You can now use the console.</Text>
      {user && <Text>You can remove passkeys and sessions that are not yours under Account, and API tokens under Tokens.</Text>}
      <Button component={Link} href={paths.tokens}>
        Go to the console
      </Button>
      <Text size="sm">
        Did you not sign up yourself? Then somebody else knows the password of this account.{' '}
        <Anchor component={Link} href={paths.forgotPassword} size="sm" underline="always">
          Set your own password
        </Anchor>
      </Text>
    </AuthCard>
  );
}
