import { Anchor, Button, Text } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { paths } from '../paths.js';
import { AuthCard } from './auth-card.js';
import { ConfirmAddress } from './confirm-address.js';
import { useSignedInUser } from './use-signed-in-user.js';

/** The page to which a mailed link leads, after the server has checked it. Whoever comes by another way is told what the server knows. */
export function VerifyEmailPage() {
  const [search] = useSearchParams();
  const { user } = useSignedInUser();
  const token = search.get('token');
  if (token) return <ConfirmAddress token={token} />;
  if (search.get('error') === 'INVALID_USER') {
    return (
      <AuthCard title="This link is for another account">
        <Text>
          It changes the address of another account than the one that is signed in here{user && `, ${user.email}`}. Sign out, or use another
          browser, and open it again: it still works.
        </Text>
        <Button component={Link} href={paths.account}>
          To my account
        </Button>
      </AuthCard>
    );
  }
  if (search.has('error')) {
    return (
      <AuthCard title="This link does not work any more">
        <Text>
          It was used already, it is older than an hour, or its address belongs to another account by now.{' '}
          {user?.emailVerified
            ? `Your address ${user.email} is verified: if that is the right one, nothing is left to do.`
            : 'If it was used, your address is verified, and nothing is left to do. Else sign in and ask for a new one under Account.'}
        </Text>
        <Button component={Link} href={paths.account}>
          To my account
        </Button>
      </AuthCard>
    );
  }
  if (search.get('by') === 'first-link') {
    return (
      <AuthCard title="One link is left">
        <Text>Now open the link that we sent to the new address. Until then your address stays as it is.</Text>
        <Button component={Link} href={paths.account}>
          To my account
        </Button>
      </AuthCard>
    );
  }
  if (!search.has('by') && !user?.emailVerified) {
    return user ? (
      <AuthCard title="Your address is not verified yet">
        <Text>Open the link in the mail that we sent to {user.email}, or ask for a new one under Account.</Text>
        <Button component={Link} href={paths.account}>
          To my account
        </Button>
      </AuthCard>
    ) : (
      <AuthCard title="Verify your address">
        <Text>Open the link in our mail. Whether it did its work, the console says under Account.</Text>
        <Button component={Link} href={paths.signIn(paths.account)}>
          Sign in
        </Button>
      </AuthCard>
    );
  }
  return (
    <AuthCard title="Your address is verified">
      <Text>Thank you. The console is yours.</Text>
      {user && <Text>Passkeys and sessions that are not yours you remove under Account, API tokens under Tokens.</Text>}
      <Button component={Link} href={paths.tokens}>
        To the console
      </Button>
      <Text size="sm">
        You did not sign up yourself? Then somebody else knows the password of this account.{' '}
        <Anchor component={Link} href={paths.forgotPassword} size="sm" underline="always">
          Choose a password of your own
        </Anchor>
      </Text>
    </AuthCard>
  );
}
