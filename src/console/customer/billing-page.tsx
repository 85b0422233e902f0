import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useCallback, useEffect } from 'react';
import { useQuery } from 'urql';
import { Link, useSearchParams } from 'wouter';
import { Loaded } from '../graphql/loaded.js';
import { BillingDocument } from '../graphql/operations.js';
import { Page } from '../parts/page.js';
import { paths } from '../paths.js';
import { InvoicesPart } from './invoices-part.js';
import { isPaidPlan, isPaidToken, PaidTokenOffer } from './paid-token-offer.js';
import { PlanOffer } from './plan-offer.js';
import { SubscriptionCard } from './subscription-card.js';

const pollMs = 2000;

/** The plan, its price and the invoices. Cards and addresses are changed on the payment processor's own page. */
export default function BillingPage() {
  const [query, reload] = useQuery({ query: BillingDocument });
  const refetch = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  const [search] = useSearchParams();
  // The payment processor tells the server of the payment by a webhook, which may arrive some seconds after the browser is back here.
  const isConfirming = search.get('checkout') === 'done' && query.data !== undefined && !query.data.subscription?.isLive;
  useEffect(() => {
    if (!isConfirming) return;
    const timer = setInterval(refetch, pollMs);
    return () => clearInterval(timer);
  }, [isConfirming, refetch]);

  return (
    <Page title="Billing">
      <Loaded what="Your plan" query={query} onRetry={reload} placeholder={<Skeleton height={300} />}>
        {({ paidPlan, subscription, tokens }) => (
          <Stack gap="xl">
            {isConfirming && <Text role="status">Thank you. Your payment is being confirmed; this takes a few seconds.</Text>}
            {isPaidPlan(subscription) && !tokens.some(isPaidToken) && (
              <PaidTokenOffer>
                <Button component={Link} href={paths.tokens}>
                  Go and make it
                </Button>
              </PaidTokenOffer>
            )}
            {subscription && <SubscriptionCard subscription={subscription} plan={paidPlan} onChanged={refetch} />}
            {(!subscription || subscription.hasEnded) && !isConfirming && (
              <PlanOffer plan={paidPlan} isFirst={!subscription} onSubscribedAlready={refetch} />
            )}
            {paidPlan.isConfigured && !isConfirming && <InvoicesPart />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
