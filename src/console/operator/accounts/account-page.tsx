import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Loaded } from '../../graphql/loaded.js';
import {
  AccountDetailsDocument,
  BanAccountDocument,
  EndSessionsDocument,
  LiftTrialLimitDocument,
  RestoreTrialLimitDocument,
  SetRoleDocument,
  UnbanAccountDocument,
} from '../../graphql/operations.js';
import { useAnswer, useChange } from '../../graphql/use-answer.js';
import { paths } from '../../paths.js';
import { RequestsPart } from '../../requests/requests-part.js';
import { Page } from '../../shell/page.js';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.js';
import { TextLink } from '../../ui/links.js';
import { Section } from '../../ui/section.js';
import { Timestamp } from '../../ui/timestamp.js';
import { AccountBalances, AccountCharges, AccountSubscriptions } from './account-balances.js';
import { AccountBadges, AccountUse } from './account-cells.js';
import { TokensList } from './tokens-page.js';

type ActionName = 'ban' | 'unban' | 'end' | 'lift' | 'restore' | 'grant' | 'revoke';

/** One account: its owner, balances, subscriptions and tokens, and the actions on it. */
export default function AccountPage({ id }: { id: string }) {
  const query = useAnswer(AccountDetailsDocument, { id });
  // Keeps the address of the account: a failed refetch must not discard the typed reason.
  const [asked, setAsked] = useState<{ name: ActionName; email: string }>();
  const ban = useChange(BanAccountDocument);
  const unban = useChange(UnbanAccountDocument);
  const endSessions = useChange(EndSessionsDocument);
  const liftTrialLimit = useChange(LiftTrialLimitDocument);
  const restoreTrialLimit = useChange(RestoreTrialLimitDocument);
  const setRole = useChange(SetRoleDocument);
  const account = query.data?.account;
  const actions = {
    ban: {
      label: 'Ban account',
      text: 'All its sessions end and all its tokens are revoked immediately. Ten minutes later its paid plan ends, with a final invoice for overage.',
      run: (reason: string) => ban({ id, reason }),
    },
    unban: {
      label: 'Lift ban',
      text: 'The person can sign in again. Revoked tokens stay revoked, and a plan that has ended stays ended.',
      run: (reason: string) => unban({ id, reason }),
    },
    end: {
      label: 'End all sessions',
      text: 'The person has to sign in again everywhere. Tokens keep working.',
      run: (reason: string) => endSessions({ id, reason }),
    },
    lift: {
      label: 'Lift the trial limit',
      text: 'The account can start any number of trials, one at a time. They do not count toward the limit of its network address.',
      run: (reason: string) => liftTrialLimit({ id, reason }),
    },
    restore: {
      label: 'Restore the trial limit',
      text: 'The limits apply again and count the trials of the last 30 days.',
      run: (reason: string) => restoreTrialLimit({ id, reason }),
    },
    grant: {
      label: 'Grant operator role',
      text: 'They can do everything you can do here. They stay signed in where they next use the console, and are signed out everywhere else.',
      run: (reason: string) => setRole({ id, role: 'admin', reason }),
    },
    revoke: {
      label: 'Remove operator role',
      text: 'They can no longer open these pages. They stay signed in where they next use the console, and are signed out everywhere else.',
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
                {account.role === 'admin' ? 'Remove operator role' : 'Grant operator role'}
              </Button>
            )}
            <Button variant="default" onClick={() => ask(account.trialLimitLifted ? 'restore' : 'lift')}>
              {account.trialLimitLifted ? 'Restore the trial limit' : 'Lift the trial limit'}
            </Button>
            <Button variant="default" onClick={() => ask('end')}>
              End all sessions
            </Button>
            <Button variant="default" onClick={() => ask(account.banned ? 'unban' : 'ban')}>
              {account.banned ? 'Lift ban' : 'Ban'}
            </Button>
          </>
        )
      }
    >
      <Loaded what="The account" answer={query} placeholder={<Skeleton height={420} />}>
        {(data) =>
          data.account ? (
            <Stack gap="xl">
              <Text>
                {data.account.name}, signed up <Timestamp at={data.account.createdAt} />, id {data.account.id}
              </Text>
              <AccountUse use={data.account.use} />
              <AccountBalances balances={data.balances} onChanged={query.refetch} />
              <AccountSubscriptions subscriptions={data.accountSubscriptions} />
              {data.accountCharges.length > 0 && <AccountCharges charges={data.accountCharges} />}
              <Section title="Tokens">
                <TokensList accountId={id} />
              </Section>
              <Section title="Requests of the last 30 days">
                <RequestsPart accountId={id} path={paths.adminAccount(id)} entryPath={paths.adminLedgerEntry} />
              </Section>
              <Group>
                <TextLink href={`${paths.adminLedger}?${new URLSearchParams({ account: id })}`}>Ledger of the account</TextLink>
                <TextLink href={`${paths.adminActions}?${new URLSearchParams({ target: id })}`}>Operator actions</TextLink>
              </Group>
            </Stack>
          ) : (
            <Text>This account does not exist.</Text>
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
