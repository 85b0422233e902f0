import { Button, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { type IssuedTokenFragment, IssueTrialTokenDocument, type TokenRowFragment } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { paths } from '../../paths.js';
import { plans } from '../../site.js';
import { ActionButton } from '../../ui/action-button.js';
import { TextLink } from '../../ui/links.js';

interface TrialOfferProps {
  tokens: TokenRowFragment[];
  onIssued: (issued: IssuedTokenFragment) => void;
}

/** Offers the trial token, and first of all the paid plan to customers who had a trial. The server decides whether a trial may be issued. */
export function TrialOffer({ tokens, onIssued }: TrialOfferProps) {
  const trials = tokens.filter(({ plan }) => plan === 'trial');
  const mayContinue = trials.length > 0 && plans.paid.isSold;

  if (trials.some(({ state }) => state === 'active')) {
    return (
      plans.paid.isSold && (
        <Text>
          Your trial is active. <TextLink href={paths.billing}>The paid plan</TextLink> lets you keep going when it ends.
        </Text>
      )
    );
  }
  return (
    <Paper withBorder p="lg">
      <Stack align="flex-start">
        <Title order={2} size="h4">
          {trials.length > 0 ? 'Your trial has ended' : tokens.length === 0 ? 'Your first token' : 'A new trial'}
        </Title>
        {mayContinue && (
          <>
            <Text>
              The paid plan includes {plans.paid.records} records a month for {plans.paid.price}. Each additional record costs{' '}
              {plans.paid.overage}.
            </Text>
            <Button component={Link} href={paths.billing}>
              See the paid plan
            </Button>
          </>
        )}
        <Text>
          {mayContinue && 'Or start another trial. '}
          {mayContinue ? 'It' : 'The trial'} gives you {plans.trial.records} records to use within {plans.trial.days} days. It’s free, and
          you don’t need a card.
        </Text>
        <GetTrial variant={mayContinue ? 'default' : 'filled'} onIssued={onIssued} />
      </Stack>
    </Paper>
  );
}

/** Issues a trial token. The server decides whether one may be issued. */
export function useTrial(): () => Promise<IssuedTokenFragment> {
  const issueTrialToken = useChange(IssueTrialTokenDocument);
  return async () => (await issueTrialToken({ name: 'Trial' })).issueTrialToken;
}

export function GetTrial({ variant = 'filled', onIssued }: { variant?: string; onIssued: (issued: IssuedTokenFragment) => void }) {
  const issue = useTrial();
  return (
    <ActionButton variant={variant} size="sm" act={async () => onIssued(await issue())}>
      Get the trial token
    </ActionButton>
  );
}
