import { Button, Code, Group, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { formatCount } from '../../format/format.js';
import { refusalOf } from '../../graphql/client.js';
import { Loaded } from '../../graphql/loaded.js';
import { type AdminTokenRowFragment, AllTokensDocument, RevokeAnyTokenDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { useFilters } from '../../hooks/use-filters.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.js';
import { Id } from '../../ui/id.js';
import { TokenState } from '../../ui/state-badge.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { EmptyList, FilterBar, searchFor } from '../../ui/tables/filter-bar.js';
import { Pager } from '../../ui/tables/pager.js';
import { Timestamp } from '../../ui/timestamp.js';
import { accountColumn } from './account-cells.js';

const look = { variant: 'default', size: 'compact-sm' } as const;
const pageSize = 50;
const filters = [searchFor('Name, email address or id')];
const ownerColumn = accountColumn<AdminTokenRowFragment>('Account', ({ accountId, accountEmail }) => ({
  id: accountId,
  email: accountEmail,
}));
// A ban revokes tokens and an adjustment changes their credits, so both refresh this list.
const refreshedByBansAndCorrections = { additionalTypenames: ['Account', 'ApiToken', 'AccountLedgerEntry'] };

/** The tokens of one account, or of all accounts with a search field. Each can be revoked. */
export function TokensList({ accountId = null }: { accountId?: string | null }) {
  const { get, page } = useFilters();
  const search = accountId === null ? get('search') : null;
  const [revoked, setRevoked] = useState<AdminTokenRowFragment>();
  const revokeAnyToken = useChange(RevokeAnyTokenDocument);
  const [query, reload] = useQuery({
    query: AllTokensDocument,
    variables: { accountId, everybody: accountId === null, search, limit: pageSize, offset: (page - 1) * pageSize },
    context: refreshedByBansAndCorrections,
  });
  return (
    <>
      {accountId === null && <FilterBar filters={filters} errorOf={(name) => refusalOf(query.error, name)} />}
      <Loaded what="The tokens" query={query} onRetry={reload} placeholder={<Skeleton height={300} />}>
        {({ tokens, tokenCount }) => (
          <>
            <DataTable
              label="List of tokens"
              choiceName="all tokens"
              rows={tokens}
              keyOf={({ id }) => id}
              empty={
                <EmptyList what="tokens" filters={accountId === null ? filters : []}>
                  No tokens yet.
                </EmptyList>
              }
              columns={[
                { title: 'Token', cell: ({ id }) => <Id id={id} what="token" /> },
                ...(accountId === null ? [ownerColumn] : []),
                { title: 'Name', cell: ({ name }) => name, isText: true },
                { title: 'State', cell: ({ state }) => <TokenState state={state} /> },
                { title: 'Left', cell: ({ creditsRemaining }) => formatCount(creditsRemaining), isNumber: true },
                { title: 'Plan', cell: ({ plan }) => plan },
                { title: 'Created', cell: ({ issuedAt }) => <Timestamp at={issuedAt} />, isOptional: accountId === null },
                {
                  title: 'Last used',
                  cell: ({ lastUsedAt }) => (lastUsedAt ? <Timestamp at={lastUsedAt} style="relative" /> : 'never'),
                  isOptional: accountId === null,
                },
                {
                  title: 'Actions',
                  isActions: true,
                  cell: (token) => (
                    <Group gap={6} wrap="nowrap">
                      <Button component={Link} href={paths.adminLedgerOf(token.id)} {...look} aria-label={`Ledger of ${token.id}`}>
                        Ledger
                      </Button>
                      {token.state !== 'revoked' && (
                        <Button {...look} aria-label={`Revoke ${token.id}`} onClick={() => setRevoked(token)}>
                          Revoke
                        </Button>
                      )}
                    </Group>
                  ),
                },
              ]}
            />
            <Pager total={tokenCount} pageSize={pageSize} what="tokens" />
          </>
        )}
      </Loaded>
      {revoked && (
        <ConfirmDialog
          title="Revoke token?"
          action="Revoke token"
          isDangerous
          asksReason
          onConfirm={(reason) => revokeAnyToken({ id: revoked.id, reason })}
          onClose={() => setRevoked(undefined)}
        >
          <Text>
            <Code>{revoked.id}</Code> of {revoked.accountEmail ?? revoked.accountId} stops working immediately. This cannot be undone.
          </Text>
        </ConfirmDialog>
      )}
    </>
  );
}

export default function TokensPage() {
  return (
    <Page title="Tokens" description="Only the owner of a token knows its raw value.">
      <TokensList />
    </Page>
  );
}
