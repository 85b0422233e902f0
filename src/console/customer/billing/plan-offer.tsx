import { Alert, Button, List, Paper, Stack, Text, Title } from '@mantine/core';
import { formatCount, formatUsd } from '../../format/format.js';
import { type BillingQuery, StartCheckoutDocument } from '../../graphql/operations.js';
import { ChangeError, useChange } from '../../graphql/use-change.js';
import { leavePage } from '../../hooks/leave-page.js';
import { useAction } from '../../hooks/use-action.js';
import { ActionError } from '../../ui/failures.js';

interface PlanOfferProps {
  plan: BillingQuery['paidPlan'];
  isFirst: boolean;
  /** The account has subscribed meanwhile, as in another tab. */
  onSubscribedAlready: () => void;
}

/** The paid plan, with the prices that the server charges. */
export function PlanOffer({ plan, isFirst, onSubscribedAlready }: PlanOfferProps) {
  const startCheckout = useChange(StartCheckoutDocument);
  const checkout = useAction(async () => {
    try {
      const { startCheckout: address } = await startCheckout({});
      await leavePage(() => window.location.assign(address));
    } catch (error) {
      if (error instanceof ChangeError && error.code === 'conflict') onSubscribedAlready();
      throw error;
    }
  });
  if (!plan.isConfigured) {
    return (
      <Alert variant="outline" role="note" title="Paid plans are not configured">
        This server has no payment processor. The trial works without one.
      </Alert>
    );
  }
  return (
    <Paper withBorder p="lg" maw={560}>
      <Title order={2} size="h4">
        API Records
      </Title>
      <Text my="sm">
        <Text span fz={32} fw={700}>
          {formatUsd(plan.priceUsd)}
        </Text>{' '}
        a month
      </Text>
      <Stack align="flex-start">
        <List>
          <List.Item>{formatCount(plan.includedRecords)} records in each monthly period</List.Item>
          <List.Item>{formatUsd(plan.overageUsd)} for each further record, up to a cap that you may set</List.Item>
          <List.Item>Any number of tokens on one balance</List.Item>
        </List>
        <ActionError error={checkout.error} />
        <Button onClick={() => void checkout.run()} loading={checkout.isBusy}>
          {isFirst ? 'Subscribe' : 'Subscribe again'}
        </Button>
      </Stack>
    </Paper>
  );
}
