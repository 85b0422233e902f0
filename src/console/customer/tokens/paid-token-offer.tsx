import { Alert, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** The last step after paying. */
export function PaidTokenOffer({ children }: { children: ReactNode }) {
  return (
    <Alert variant="outline" role="note" title="One step left: create a paid token">
      <Stack align="flex-start" gap="sm">
        <Text>Your plan is active, but no token uses it yet. Trial tokens can’t. Create a paid token for your programs.</Text>
        {children}
      </Stack>
    </Alert>
  );
}

/** Whether the latest invoice is paid. A plan whose payment failed stays live while Stripe retries. */
export const isPaidPlan = (plan: { isLive: boolean; status: string } | null | undefined): boolean =>
  plan?.isLive === true && plan.status !== 'past_due';

/** Whether a token uses the plan, even if the plan is used up. Tokens of a plan that has ended have expired permanently. */
export const isPaidToken = ({ plan, state }: { plan: string; state: string }): boolean =>
  plan === 'paid' && state !== 'revoked' && state !== 'expired';
