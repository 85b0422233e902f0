import { Alert, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** What is left to do after paying, with the way to do it. */
export function PaidTokenOffer({ children }: { children: ReactNode }) {
  return (
    <Alert variant="outline" role="note" title="One step is left: a token of the paid plan">
      <Stack align="flex-start" gap="sm">
        <Text>Your plan is paid, and nothing draws on it yet. The trial's token does not: make one for your programs.</Text>
        {children}
      </Stack>
    </Alert>
  );
}

/** Whether its latest bill is paid: a plan whose payment failed is live for as long as the payment is tried again. */
export const isPaidPlan = (plan: { isLive: boolean; status: string } | null | undefined): boolean =>
  plan?.isLive === true && plan.status !== 'past_due';

/** Whether it draws on the plan: those of a plan that has ended have expired for good. One whose plan is used up does. */
export const isPaidToken = ({ plan, state }: { plan: string; state: string }): boolean =>
  plan === 'paid' && state !== 'revoked' && state !== 'expired';
