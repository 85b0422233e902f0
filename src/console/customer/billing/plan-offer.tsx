import { Alert, Button, List, Paper, Stack, Text, Title } from '@mantine/core';
import type { FormEvent } from 'react';
import { formatCount, formatUsd } from '../../format/format.js';
import { type BillingQuery, StartCheckoutDocument } from '../../graphql/operations.js';
import { ChangeError, useChange } from '../../graphql/use-change.js';
import { leavePage } from '../../hooks/leave-page.js';
import { useAction } from '../../hooks/use-action.js';
import { ActionError } from '../../ui/failures.js';
import { capOf, OverageCapInput } from './overage-cap-input.js';

interface PlanOfferProps {
  plan: BillingQuery['paidPlan'];
  isFirst: boolean;
  /** The cap that is suggested: of the last subscription, or of a checkout that was not paid. */
  capUsd: string | null;
  /** The account has subscribed meanwhile, as in another tab. */
  onSubscribedAlready: () => void;
}

/** The paid plan, with the prices that the server charges. The cap is chosen before leaving for the payment page. */
export function PlanOffer({ plan, isFirst, capUsd, onSubscribedAlready }: PlanOfferProps) {
  const startCheckout = useChange(StartCheckoutDocument);
  const checkout = useAction(async (cap: string) => {
    try {
      const { startCheckout: address } = await startCheckout({ overageCap: capOf(cap, plan) });
      await leavePage(() => window.location.assign(address));
    } catch (error) {
      if (error instanceof ChangeError && error.code === 'conflict') onSubscribedAlready();
      throw error;
    }
  });
  const handleSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void checkout.run(String(new FormData(event.currentTarget).get('cap')));
  };
  if (!plan.isConfigured) {
    return (
      <Alert variant="outline" role="note" title="Billing is not set up">
        This server sells no paid plan. The trial works without one.
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
      <form onSubmit={handleSubmit}>
        <Stack align="flex-start">
          <List>
            <List.Item>{formatCount(plan.includedRecords)} records in each monthly period</List.Item>
            <List.Item>{formatUsd(plan.overageUsd)} for each further record (overage)</List.Item>
            <List.Item>Any number of tokens on one balance</List.Item>
          </List>
          <OverageCapInput plan={plan} capUsd={capUsd} />
          <ActionError error={checkout.error} />
          <Button type="submit" loading={checkout.isBusy}>
            {isFirst ? 'Subscribe' : 'Subscribe again'}
          </Button>
        </Stack>
      </form>
    </Paper>
  );
}
