import { SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { SignedInUser } from '../../auth/use-signed-in-user.js';
import { formatUsd, hasPassed, ownTimeZone, serverNow } from '../../format.js';
import { useAnswer } from '../../graphql/client.js';
import { type BalanceRowFragment, OverviewDocument } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { briefRequestColumns, ErrorsPart, requestInTwoLines } from '../../requests/requests-part.js';
import { Page } from '../../shell/page.js';
import { plans } from '../../site.js';
import { Loaded, Nothing, Section, TextLink } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { FirstCallCode } from '../tokens/token-dialogs.js';
import { PaidTokenOffer, TrialOffer } from '../tokens/trial-offer.js';
import { BalanceCard, BillNotice, Notice } from '../usage/balances-part.js';
import { FirstSteps, useFirstSteps } from './first-steps.js';

const dayMs = 24 * 60 * 60 * 1000;

/** The first page of the console: what to do next, what is left and what it costs, the latest calls, and why some were refused. */
export default function OverviewPage({ user }: { user: SignedInUser }) {
  const [from] = useState(() => new Date(serverNow() - dayMs).toISOString());
  const query = useAnswer(OverviewDocument, { from, timeZone: ownTimeZone });
  const steps = useFirstSteps(user, query.data, query.refetch);

  return (
    <Page title="Overview">
      <Loaded what="The overview" answer={query} placeholder={<Skeleton height={620} />}>
        {({ newest, subscription, paidPlan, balances, requests: { requests }, requestOutcomes }) => (
          <Stack gap="xl">
            {subscription?.status === 'past_due' && (
              <Notice
                title="Your last payment failed"
                isWarning
                action={plans.paid.isSold && <TextLink href={paths.billing}>Check your card in Billing</TextLink>}
              >
                Your tokens still work for now.
              </Notice>
            )}
            {subscription?.isLive && <BillNotice balance={{ ...subscription, includedRecords: paidPlan.includedRecords }} />}
            {steps.isShown && !steps.canWait && <FirstSteps progress={steps} />}
            {!subscription?.isLive && (steps.hasToken || !steps.isOpen) && <TrialOffer tokens={newest} />}
            {steps.needsPaidToken && !(steps.isShown && steps.isOpen) && <PaidTokenOffer />}
            {balances.length > 0 && <BalanceSummaries balances={balances} openOverageUsd={subscription?.openOverageUsd} />}
            {steps.isShown && steps.canWait && <FirstSteps progress={steps} />}
            <Section title="Errors in the last 24 hours">
              {requestOutcomes.some(({ error }) => error) ? (
                <ErrorsPart outcomes={requestOutcomes} callsPath={(result) => paths.requestsOf({ result })} />
              ) : (
                <Nothing>
                  None. <TextLink href={paths.docsErrors}>What errors mean</TextLink>
                </Nothing>
              )}
            </Section>
            <Section title="Latest requests" actions={requests.length > 0 && <TextLink href={paths.requests}>All requests</TextLink>}>
              {requests.length > 0 ? (
                <DataTable
                  label="List of latest requests"
                  twoLines={requestInTwoLines}
                  rows={requests}
                  columns={briefRequestColumns(paths.ledgerEntry)}
                />
              ) : (
                <Stack gap="sm" align="flex-start">
                  <Nothing>
                    None in the last 30 days. <TextLink href={paths.tryIt}>Try a call</TextLink>
                  </Nothing>
                  {/* The first steps have the same code. */}
                  {steps.hasToken && !(steps.isShown && steps.isOpen) && <FirstCallCode />}
                </Stack>
              )}
            </Section>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

interface BalanceSummariesProps {
  balances: BalanceRowFragment[];
  /** The overage of all paid periods that is on no invoice yet. */
  openOverageUsd: string | undefined;
}

/** Shows the remaining records of each plan that has not ended, and the bill so far. If all have ended, the latest. */
function BalanceSummaries({ balances, openOverageUsd = '0.00' }: BalanceSummariesProps) {
  const current = balances.filter(({ endsAt }) => !hasPassed(endsAt));
  return (
    <section aria-label="Balances">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {(current.length > 0 ? current : balances.slice(0, 1)).map((balance) => (
          <BalanceCard key={balance.id} balance={balance} isBrief />
        ))}
      </SimpleGrid>
      {openOverageUsd !== '0.00' && (
        <Text mt="sm">
          {formatUsd(openOverageUsd)} of overage is not billed yet. <TextLink href={paths.billing}>See the next bill</TextLink>
        </Text>
      )}
    </section>
  );
}
