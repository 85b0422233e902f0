import { Button, Text } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { paths } from '../paths.js';
import { AuthCard } from './auth-card.js';

/** The page to which a mailed link leads, after the server has checked it. */
export function VerifyEmailPage() {
  const [search] = useSearchParams();
  if (search.has('error')) {
    return (
      <AuthCard title="This link does not work any more">
        <Text>It was used already, or it is older than an hour. Sign in and ask for a new one under Account.</Text>
        <Button component={Link} href={paths.account}>
          To my account
        </Button>
      </AuthCard>
    );
  }
  return (
    <AuthCard title="Your address is verified">
      <Text>Thank you. The console is yours.</Text>
      <Button component={Link} href={paths.tokens}>
        To the console
      </Button>
    </AuthCard>
  );
}
