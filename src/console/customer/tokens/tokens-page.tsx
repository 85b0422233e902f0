import { Box, Group, Skeleton, Stack, Text } from '@mantine/core';
import { formatCount, plural } from '../../format.js';
import { useAnswer } from '../../graphql/client.js';
import { type TokenRowFragment, TokensDocument } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { plans } from '../../site.js';
import { DialogButton } from '../../ui/dialogs.js';
import { Id } from '../../ui/id.js';
import { LedgerButton, Loaded, Section, StateBadge, TextLink, Timestamp } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Pager } from '../../ui/tables/pager.js';
import { UsedBar } from '../usage/balances-part.js';
import { CapTokenDialog, IssueTokenDialog, RenameTokenDialog, RevokeTokenDialog } from './token-dialogs.js';
import { isPaidPlan, isPaidToken, PaidTokenOffer, TrialOffer } from './trial-offer.js';

const pageSize = 100;

/** The tokens of the account, and how to get the first one. */
export default function TokensPage() {
  const { page } = useFilters();
  const query = useAnswer(TokensDocument, { limit: pageSize, offset: (page - 1) * pageSize });
  const mayIssuePaid = query.data?.subscription?.isLive ?? false;

  return (
    <Page
      title="Tokens"
      description="Your programs use a token to call the API. We show each token only once, when you create it."
      actions={
        mayIssuePaid && (
          <DialogButton label="New token" variant="filled">
            <IssueTokenDialog />
          </DialogButton>
        )
      }
    >
      <Loaded what="Your tokens" answer={query} placeholder={<Skeleton height={320} />}>
        {({ tokens, tokenCount, newest, subscription }) => (
          <Stack gap="lg">
            {!mayIssuePaid && <TrialOffer tokens={newest} />}
            {isPaidPlan(subscription) && !newest.some(isPaidToken) && <PaidTokenOffer />}
            {tokenCount > 0 && (
              <Section title="All tokens">
                {['paid', 'trial'].map((plan) => {
                  const token = newest.find((one) => one.plan === plan && (one.state === 'active' || one.state === 'exhausted'));
                  return token && <SharedBalance key={plan} token={token} />;
                })}
                <TokensTable tokens={tokens} mayIssuePaid={mayIssuePaid} />
                {tokenCount > pageSize && <Pager total={tokenCount} pageSize={pageSize} what="tokens" />}
              </Section>
            )}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function TokensTable({ tokens, mayIssuePaid }: { tokens: TokenRowFragment[]; mayIssuePaid: boolean }) {
  const actionsOf = (token: TokenRowFragment) => (
    // Two side by side, so that all of them fit beside the columns on a small screen.
    <Group gap={6} maw={{ base: '10.5rem', xl: 'none' }}>
      <LedgerButton of={token.name} href={paths.ledgerOf({ token: token.id })} />
      {[
        { label: 'Rename', isOffered: true, dialog: <RenameTokenDialog token={token} /> },
        { label: 'Replace', isOffered: mayIssuePaid && isPaidToken(token), dialog: <IssueTokenDialog replaces={token} /> },
        { label: 'Cap', isOffered: isPaidToken(token), dialog: <CapTokenDialog token={token} /> },
        { label: 'Revoke', isOffered: token.state !== 'revoked', dialog: <RevokeTokenDialog token={token} /> },
      ].map(
        ({ label, isOffered, dialog }) =>
          isOffered && (
            <DialogButton key={label} label={label} of={token.name}>
              {dialog}
            </DialogButton>
          ),
      )}
    </Group>
  );
  return (
    <DataTable
      label="Tokens"
      choiceName="tokens"
      rows={tokens}
      empty="No tokens on this page."
      columns={[
        { title: 'Name', cell: (token) => <TokenName token={token} />, isText: true },
        { title: 'State', cell: (token) => <StateOf token={token} /> },
        tokens.some(({ periodCap }) => periodCap !== null) && {
          title: 'Own cap',
          cell: (token) => token.periodCap !== null && <OwnCap token={token} />,
        },
        {
          title: 'Expires',
          cell: ({ expiresAt }) => <Timestamp at={expiresAt} none="when the plan ends" style="relative" />,
        },
        { title: 'Last used', cell: ({ lastUsedAt }) => <Timestamp at={lastUsedAt} none="never" style="relative" /> },
        { title: 'Actions', cell: actionsOf, isActions: true },
      ]}
    />
  );
}

function TokenName({ token: { name, id } }: { token: TokenRowFragment }) {
  return (
    <>
      <Text fw={600}>{name}</Text>
      <Id id={id} what="token" />
    </>
  );
}

/** A paid token is exhausted at its own cap, at the customer's overage cap, or if its subscription has no overage price. */
function StateOf({ token: { plan, state, periodCap, periodRecords } }: { token: TokenRowFragment }) {
  if (state === 'exhausted' && periodCap !== null && periodRecords! >= periodCap) return <StateBadge state="own cap reached" />;
  return (
    <>
      <StateBadge state={state} />
      {plan === 'paid' && state === 'exhausted' && (
        <Text size="sm" mt={4}>
          No more records in this period. {plans.paid.isSold && <TextLink href={paths.billing}>View cap</TextLink>}
        </Text>
      )}
    </>
  );
}

function OwnCap({ token: { name, periodCap, periodRecords } }: { token: TokenRowFragment }) {
  return (
    <div>
      {formatCount(periodRecords!)} of {formatCount(periodCap!)} used
      <UsedBar what={`Cap used of ${name}`} used={periodRecords!} of={periodCap!} />
    </div>
  );
}

/** Says once what the tokens of a plan share. */
function SharedBalance({ token: { plan, creditsRemaining, creditsIncluded } }: { token: TokenRowFragment }) {
  const used = creditsIncluded - creditsRemaining;
  return (
    <Box maw={420}>
      <Text>
        {plan === 'paid' ? 'Paid plan' : 'Trial'}: {formatCount(used)} of {plural(creditsIncluded, 'included record')} used
      </Text>
      <UsedBar what={`Included records used of the ${plan}`} used={used} of={creditsIncluded} />
    </Box>
  );
}
