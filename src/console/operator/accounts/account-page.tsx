import { Box, Button, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
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
import { useFilters } from '../../hooks/use-filters.js';
import { paths } from '../../paths.js';
import { RequestsPart } from '../../requests/requests-part.js';
import { Page } from '../../shell/page.js';
import { FormDialog, openDialog } from '../../ui/dialogs.js';
import { Loaded, TextLink, Timestamp } from '../../ui/parts.js';
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

/** The actions on an account: a role, a limit or a ban is either given or taken. */
const actionsFor = ({ role, banned, trialLimitLifted }: { role: string; banned: boolean; trialLimitLifted: boolean }) => {
  const roles: (keyof typeof actions)[] = role === 'admin' ? ['revoke'] : banned ? [] : ['grant'];
  return [...roles, trialLimitLifted ? 'restore' : 'lift', 'end', banned ? 'unban' : 'ban'] as const;
};

/** One account: its owner, balances, subscriptions and tokens, and the actions on it. */
export default function AccountPage({ id }: { id: string }) {
  const query = useAnswer(AccountDetailsDocument, { id });
  const account = query.data?.account;
  const { get, setFilter } = useFilters();
  const part = get('part') ?? 'money';
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
          <Box component="details" ta="right">
            <summary>Actions</summary>
            <Stack gap="xs" mt="xs">
              {actionsFor(account).map((name) => (
                <Button key={name} variant="default" onClick={() => ask(name)}>
                  {actions[name].label}
                </Button>
              ))}
            </Stack>
          </Box>
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
              <SegmentedControl
                aria-label="Part"
                w="fit-content"
                value={part}
                onChange={(choice) => setFilter('part', choice)}
                data={[
                  { value: 'money', label: 'Balances' },
                  { value: 'tokens', label: 'Tokens' },
                  { value: 'requests', label: 'Requests' },
                ]}
              />
              {part === 'tokens' ? (
                <TokensList accountId={id} />
              ) : part === 'requests' ? (
                <RequestsPart
                  accountId={id}
                  pathOf={(filter) => `${paths.adminAccount(id)}?${new URLSearchParams({ part, ...filter })}`}
                  entryPath={paths.adminLedgerEntry}
                />
              ) : (
                <>
                  <AccountBalances balances={data.balances} />
                  <AccountSubscriptions subscriptions={data.accountSubscriptions} />
                  {data.accountCharges.length > 0 && <AccountCharges charges={data.accountCharges} />}
                </>
              )}
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
