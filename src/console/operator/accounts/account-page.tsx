import { Anchor, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { Loaded } from '../../graphql/loaded.js';
import {
  AccountDetailsDocument,
  BanAccountDocument,
  EndSessionsDocument,
  SetRoleDocument,
  UnbanAccountDocument,
} from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { ConfirmDialog } from '../../ui/confirm-dialog.js';
import { Timestamp } from '../../ui/timestamp.js';
import { AccountBadges } from './account-badges.js';
import { AccountBalances } from './account-balances.js';
import { AccountCharges } from './account-charges.js';
import { AccountSubscriptions } from './account-subscriptions.js';
import { TokensList } from './tokens-list.js';

type ActionName = 'ban' | 'unban' | 'end' | 'grant' | 'revoke';

/** One account: its owner, balances, subscriptions and tokens, and what operators can do to it. */
export default function AccountPage({ id }: { id: string }) {
  const [query, reload] = useQuery({ query: AccountDetailsDocument, variables: { id } });
  // With the address of the account: the reason that is typed must outlive an answer that does not come.
  const [asked, setAsked] = useState<{ name: ActionName; email: string }>();
  const ban = useChange(BanAccountDocument);
  const unban = useChange(UnbanAccountDocument);
  const endSessions = useChange(EndSessionsDocument);
  const setRole = useChange(SetRoleDocument);
  const account = query.data?.account;
  const actions = {
    ban: {
      label: 'Ban the account',
      text: 'All its sessions end and all its tokens are revoked, at once. Ten minutes later its paid plan ends, with a last bill for what was used beyond the included records.',
      run: (reason: string) => ban({ id, reason }),
    },
    unban: {
      label: 'Lift the ban',
      text: 'The person can sign in again. Revoked tokens stay revoked, and a plan that has ended stays ended.',
      run: (reason: string) => unban({ id, reason }),
    },
    end: {
      label: 'End all sessions',
      text: 'The person has to sign in again, everywhere. Tokens go on working.',
      run: (reason: string) => endSessions({ id, reason }),
    },
    grant: {
      label: 'Make them an operator',
      text: 'They may do all that you may do here. The session they use next goes on; their others end.',
      run: (reason: string) => setRole({ id, role: 'admin', reason }),
    },
    revoke: {
      label: 'Take the role away',
      text: 'They can no longer open these pages. The session they use next goes on without them; their others end.',
      run: (reason: string) => setRole({ id, role: 'user', reason }),
    },
  };
  const action = asked && actions[asked.name];
  const ask = (name: ActionName) => account && setAsked({ name, email: account.email });

  return (
    <Page
      title={account?.email ?? 'Account'}
      description={account && <AccountBadges account={account} />}
      actions={
        account &&
        !account.deletedAt && (
          <>
            {(account.role === 'admin' || !account.banned) && (
              <Button variant="default" onClick={() => ask(account.role === 'admin' ? 'revoke' : 'grant')}>
                {account.role === 'admin' ? 'Take the role away' : 'Make an operator'}
              </Button>
            )}
            <Button variant="default" onClick={() => ask('end')}>
              End all sessions
            </Button>
            <Button variant="default" onClick={() => ask(account.banned ? 'unban' : 'ban')}>
              {account.banned ? 'Lift the ban' : 'Ban'}
            </Button>
          </>
        )
      }
    >
      <Loaded what="The account" query={query} onRetry={reload} placeholder={<Skeleton height={420} />}>
        {(data) =>
          data.account ? (
            <Stack gap="xl">
              <Text>
                {data.account.name}, signed up <Timestamp at={data.account.createdAt} />, id {data.account.id}
              </Text>
              <AccountBalances balances={data.balances} onChanged={() => reload({ requestPolicy: 'network-only' })} />
              <AccountSubscriptions subscriptions={data.accountSubscriptions} />
              {data.accountCharges.length > 0 && <AccountCharges charges={data.accountCharges} />}
              <section aria-labelledby="tokens-title">
                <Title order={2} size="h4" id="tokens-title" mb="sm">
                  Tokens
                </Title>
                <TokensList accountId={id} />
              </section>
              <Group>
                <Anchor component={Link} href={`${paths.adminLedger}?${new URLSearchParams({ account: id })}`} underline="always">
                  Ledger of the account
                </Anchor>
                <Anchor component={Link} href={`${paths.adminActions}?${new URLSearchParams({ target: id })}`} underline="always">
                  What operators did to it
                </Anchor>
              </Group>
            </Stack>
          ) : (
            <Text>There is no such account.</Text>
          )
        }
      </Loaded>
      {action && (
        <ConfirmDialog
          title={`${action.label}?`}
          action={action.label}
          isDangerous={asked.name === 'ban'}
          asksReason
          onConfirm={action.run}
          onClose={() => setAsked(undefined)}
        >
          <Text>
            {asked.email}: {action.text}
          </Text>
        </ConfirmDialog>
      )}
    </Page>
  );
}
