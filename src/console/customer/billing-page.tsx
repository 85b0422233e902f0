import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { useSearchParams } from 'wouter';
import { Loaded } from '../graphql/loaded.js';
import { BillingDocument } from '../graphql/operations.js';
import { Page } from '../parts/page.js';
import { InvoicesPart } from './invoices-part.js';
import { PlanOffer } from './plan-offer.js';
import { SubscriptionCard } from './subscription-card.js';

/** The plan, what it costs and the bills. Cards and addresses are the payment processor's matter. */
export default function BillingPage() {
  const [query, reload] = useQuery({ query: BillingDocument });
  const [search] = useSearchParams();
  const returnedFromCheckout = search.get('checkout') === 'done';

  return (
    <Page title="Billing">
      <Loaded what="Your plan" query={query} onRetry={reload} placeholder={<Skeleton height={300} />}>
        {({ paidPlan, subscription }) => (
          <Stack gap="xl">
            {returnedFromCheckout && !subscription?.isLive && (
              <Text role="status">
                Thank you. Your payment is being confirmed; this takes a few seconds. Reload the page to look again.
              </Text>
            )}
            {subscription && <SubscriptionCard subscription={subscription} plan={paidPlan} />}
            {!subscription?.isLive && <PlanOffer plan={paidPlan} isFirst={!subscription} />}
            {paidPlan.isConfigured && <InvoicesPart />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
