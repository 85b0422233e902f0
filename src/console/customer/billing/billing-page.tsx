import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Loaded } from '../../graphql/loaded.js';
import { BillingDocument } from '../../graphql/operations.js';
import { useAnswer } from '../../graphql/use-answer.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { isPaidPlan, isPaidToken, PaidTokenOffer } from '../tokens/paid-token-offer.js';
import { InvoicesPart } from './invoices-part.js';
import { NextBillPart } from './next-bill-part.js';
import { PlanOffer } from './plan-offer.js';
import { SubscriptionCard } from './subscription-card.js';
import { useAwaitedPlan } from './use-awaited-plan.js';

/** The plan, its price and the invoices. Cards and addresses are changed on the payment processor's own page. */
export default function BillingPage() {
  const query = useAnswer(BillingDocument, {});
  const { refetch } = query;
  const isConfirming = useAwaitedPlan(query.data && (query.data.subscription?.isLive ?? false), refetch);

  return (
    <Page title="Billing">
      <Loaded what="Your plan" answer={query} placeholder={<Skeleton height={300} />}>
        {({ paidPlan, subscription, checkoutCapUsd, tokens }) => (
          <Stack gap="xl">
            {isConfirming && <Text role="status">Thank you. We’re confirming your payment. This takes a few seconds.</Text>}
            {isPaidPlan(subscription) && !tokens.some(isPaidToken) && (
              <PaidTokenOffer>
                <Button component={Link} href={paths.tokens}>
                  Create paid token
                </Button>
              </PaidTokenOffer>
            )}
            {subscription && <SubscriptionCard subscription={subscription} plan={paidPlan} onChanged={refetch} />}
            {subscription && !(subscription.hasEnded && subscription.openOverageUsd === '0.00') && <NextBillPart />}
            {(!subscription || subscription.hasEnded) && !isConfirming && (
              <PlanOffer
                plan={paidPlan}
                isFirst={!subscription}
                capUsd={subscription ? subscription.overageCapUsd : checkoutCapUsd}
                onSubscribedAlready={refetch}
              />
            )}
            {paidPlan.isConfigured && !isConfirming && <InvoicesPart />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
