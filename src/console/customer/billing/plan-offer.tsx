import { Alert, Button, List, Paper, Radio, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
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

/** The paid plan, with the prices that the server charges. Whether overage has a cap is answered before leaving for the payment page: no answer is preselected. */
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
  const [limit, setLimit] = useState('');
  const handleSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void checkout.run(String(new FormData(event.currentTarget).get('cap') ?? ''));
  };
  if (!plan.isConfigured) {
    return (
      <Alert variant="outline" role="note" title="Billing is not set up">
        No paid plan is available on this server. You can still use the trial.
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
            <List.Item>{formatCount(plan.includedRecords)} records included each month</List.Item>
            <List.Item>{formatUsd(plan.overageUsd)} for each additional record (overage)</List.Item>
            <List.Item>Unlimited tokens on one shared balance</List.Item>
          </List>
          <Radio.Group
            label="Overage in a period"
            description="You can change it at any time."
            value={limit}
            onChange={setLimit}
            withAsterisk
          >
            <Radio mt="xs" value="cap" required label="Stop at an amount that I set" />
            <Radio mt="xs" value="none" required label={`No limit: each additional record costs ${formatUsd(plan.overageUsd)}`} />
          </Radio.Group>
          {limit === 'cap' && <OverageCapInput plan={plan} capUsd={capUsd} isRequired />}
          <ActionError error={checkout.error} />
          <Button type="submit" loading={checkout.isBusy}>
            {isFirst ? 'Subscribe' : 'Subscribe again'}
          </Button>
        </Stack>
      </form>
    </Paper>
  );
}
