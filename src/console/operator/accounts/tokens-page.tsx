import { Code, Group, Text } from '@mantine/core';
import { formatCount } from '../../format.js';
import { change } from '../../graphql/client.js';
import { type AdminTokenRowFragment, AllTokensDocument, RevokeAnyTokenDocument } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { DialogButton, FormDialog } from '../../ui/dialogs.js';
import { Id } from '../../ui/id.js';
import { AccountLink, LedgerButton, NextStep, StateBadge, Timestamp } from '../../ui/parts.js';
import { searchFor } from '../../ui/tables/filter-bar.js';
import { List, useList } from '../../ui/tables/list.js';

const filters = [searchFor('Name, email address or id')];

/** The tokens of one account, or of all accounts with a search field. Each can be revoked. */
export function TokensList({ accountId = null }: { accountId?: string | null }) {
  const isOfAll = accountId === null;
  const list = useList(AllTokensDocument, { filters: isOfAll ? filters : [], variables: { accountId, everybody: isOfAll } });
  return (
    <List
      list={list}
      what="tokens"
      label="List of tokens"
      choiceName="all tokens"
      columns={() => [
        { title: 'Token', cell: ({ id }) => <Id id={id} what="token" /> },
        isOfAll && {
          title: 'Account',
          cell: (token) => <AccountLink id={token.accountId} email={token.accountEmail} />,
          isOneLine: true,
        },
        { title: 'Name', cell: ({ name }) => name, isText: true },
        { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
        { title: 'Left', cell: ({ creditsRemaining }) => formatCount(creditsRemaining), isNumber: true },
        { title: 'Plan', cell: ({ plan }) => plan },
        { title: 'Created', cell: ({ issuedAt }) => <Timestamp at={issuedAt} />, isOptional: isOfAll },
        {
          title: 'Last used',
          cell: ({ lastUsedAt }) => <Timestamp at={lastUsedAt} none="never" style="relative" />,
          isOptional: isOfAll,
        },
        {
          title: 'Actions',
          isActions: true,
          cell: (token) => (
            <Group gap={6} wrap="nowrap">
              <LedgerButton of={token.id} href={paths.adminLedgerOf({ token: token.id })} />
              {token.state !== 'revoked' && (
                <DialogButton label="Revoke" of={token.id}>
                  <RevokeAnyTokenDialog token={token} />
                </DialogButton>
              )}
            </Group>
          ),
        },
      ]}
      empty={<NextStep says="No tokens yet." link="Issue one to an account" href={paths.adminAccounts} />}
    />
  );
}

const RevokeAnyTokenDialog = ({ token: { id, name, accountEmail, accountId, lastUsedAt } }: { token: AdminTokenRowFragment }) => (
  <FormDialog
    title={`Revoke “${name}”?`}
    action="Revoke token"
    isDangerous
    asksReason
    onSubmit={({ reason = '' }) => change(RevokeAnyTokenDocument, { id, reason })}
  >
    <Text>
      <Code>{id}</Code> of {accountEmail ?? accountId}, last used <Timestamp at={lastUsedAt} none="never" style="relative" />, stops working
      immediately. This cannot be undone.
    </Text>
  </FormDialog>
);

export default function TokensPage() {
  return (
    <Page title="Tokens" description="Only the owner of a token knows its raw value.">
      <TokensList />
    </Page>
  );
}
