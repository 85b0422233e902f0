import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { change, useAnswer } from '../../graphql/client.js';
import {
  AccountDetailsDocument,
  BanAccountDocument,
  EndSessionsDocument,
  LiftTrialLimitDocument,
  RestoreTrialLimitDocument,
  SetRoleDocument,
  UnbanAccountDocument,
} from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { RequestsPart } from '../../requests/requests-part.js';
import { Page } from '../../shell/page.js';
import { FormDialog, openDialog } from '../../ui/dialogs.js';
import { Loaded, Section, TextLink, Timestamp } from '../../ui/parts.js';
import { AccountBalances, AccountCharges, AccountSubscriptions } from './account-balances.js';
import { AccountBadges, AccountUse } from './account-cells.js';
import { TokensList } from './tokens-page.js';

type Reasoned = { id: string; reason: string };

const actions = {
  ban: {
    label: 'Ban account',
    text: 'All its sessions end and all its tokens are revoked immediately. Ten minutes later its paid plan ends, with a final invoice for overage.',
    run: (given: Reasoned) => change(BanAccountDocument, given),
  },
  unban: {
    label: 'Lift ban',
    text: 'The person can sign in again. Revoked tokens stay revoked, and a plan that has ended stays ended.',
    run: (given: Reasoned) => change(UnbanAccountDocument, given),
  },
  end: {
    label: 'End all sessions',
    text: 'The person has to sign in again everywhere. Tokens keep working.',
    run: (given: Reasoned) => change(EndSessionsDocument, given),
  },
  lift: {
    label: 'Lift the trial limit',
    text: 'The account can start any number of trials, one at a time. They do not count toward the limit of its network address.',
    run: (given: Reasoned) => change(LiftTrialLimitDocument, given),
  },
  restore: {
    label: 'Restore the trial limit',
    text: 'The limits apply again and count the trials of the last 30 days.',
    run: (given: Reasoned) => change(RestoreTrialLimitDocument, given),
  },
  grant: {
    label: 'Grant operator role',
    text: 'They can do everything you can do here. They stay signed in where they next use the console, and are signed out everywhere else.',
    run: (given: Reasoned) => change(SetRoleDocument, { ...given, role: 'admin' }),
  },
  revoke: {
    label: 'Remove operator role',
    text: 'They can no longer open these pages. They stay signed in where they next use the console, and are signed out everywhere else.',
    run: (given: Reasoned) => change(SetRoleDocument, { ...given, role: 'user' }),
  },
};

/** One account: its owner, balances, subscriptions and tokens, and the actions on it. */
export default function AccountPage({ id }: { id: string }) {
  const query = useAnswer(AccountDetailsDocument, { id });
  const account = query.data?.account;
  const ask = (name: keyof typeof actions) => {
    const { label, text, run } = actions[name];
    openDialog(
      <FormDialog
        title={`${label}?`}
        action={label}
        isDangerous={name === 'ban'}
        asksReason
        onSubmit={({ reason = '' }) => run({ id, reason })}
      >
        <Text>
          {account?.email}: {text}
        </Text>
      </FormDialog>,
    );
  };

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
              <AccountBalances balances={data.balances} />
              <AccountSubscriptions subscriptions={data.accountSubscriptions} />
              {data.accountCharges.length > 0 && <AccountCharges charges={data.accountCharges} />}
              <Section title="Tokens">
                <TokensList accountId={id} />
              </Section>
              <Section title="Requests of the last 30 days">
                <RequestsPart accountId={id} path={paths.adminAccount(id)} entryPath={paths.adminLedgerEntry} />
              </Section>
              <Group>
                <TextLink href={paths.adminLedgerOf({ account: id })}>Ledger of the account</TextLink>
                <TextLink href={`${paths.adminActions}?${new URLSearchParams({ target: id })}`}>Operator actions</TextLink>
              </Group>
            </Stack>
          ) : (
            <Text>This account does not exist.</Text>
          )
        }
      </Loaded>
    </Page>
  );
}
