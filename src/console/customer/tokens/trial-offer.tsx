import { Anchor, Button, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { type IssuedTokenFragment, IssueTrialTokenDocument, type TokenRowFragment } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { useAction } from '../../hooks/use-action.js';
import { paths } from '../../paths.js';
import { plans } from '../../plans.js';
import { ActionError } from '../../ui/failures.js';

/** Offers the trial token, and the paid plan to customers who had a trial. The server decides whether a trial may be issued. */
export function TrialOffer({ tokens, onIssued }: { tokens: TokenRowFragment[]; onIssued: (issued: IssuedTokenFragment) => void }) {
  const issueTrialToken = useChange(IssueTrialTokenDocument);
  const issue = useAction(async () => onIssued((await issueTrialToken({ name: 'Trial' })).issueTrialToken));
  const isFirst = tokens.length === 0;
  const trials = tokens.filter(({ plan }) => plan === 'trial');
  const hasTrial = trials.some(({ state }) => state === 'active');

  const paidPlan = (
    <Anchor component={Link} href={paths.billing} underline="always">
      The paid plan
    </Anchor>
  );

  if (hasTrial) return <Text>Your trial is active. {paidPlan} lets you continue when it ends.</Text>;
  return (
    <Paper withBorder p="lg">
      <Stack align="flex-start">
        <Title order={2} size="h4">
          {isFirst ? 'Your first token' : 'A new trial'}
        </Title>
        {trials.length > 0 && <Text>Your trial has ended. {paidPlan} lets you continue.</Text>}
        <Text>
          The trial token reads {plans.trial.records} records within {plans.trial.days} days. It is free and needs no card.
        </Text>
        <ActionError error={issue.error} />
        <Button onClick={() => void issue.run()} loading={issue.isBusy}>
          Get the trial token
        </Button>
      </Stack>
    </Paper>
  );
}
