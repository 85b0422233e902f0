import { Box, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { hasPassed, plural } from '../../format.js';
import { useAnswer } from '../../graphql/client.js';
import { type AccountChange, AccountDetailsDocument, type AccountDetailsQuery, ChangeAccountDocument } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { paths } from '../../paths.js';
import { RequestsPart } from '../../requests/requests-part.js';
import { Page } from '../../shell/page.js';
import { FormDialog, openDialog } from '../../ui/dialogs.js';
import { Items, Loaded, TextLink, Timestamp } from '../../ui/parts.js';
import { FilterSwitch } from '../../ui/tables/filter-bar.js';
import { AccountBalances, AccountCharges, AccountInvoices, AccountSubscriptions, changeIfRecent } from './account-balances.js';
import { AccountBadges, AccountUse } from './account-cells.js';
import { TokensList } from './tokens-page.js';

interface AccountAction {
  label: string;
  text: string;
  /** For the list below the text. */
  losses?: (account: AccountDetailsQuery) => (string | false)[];
  isDangerous?: boolean;
}

const actions: Record<AccountChange, AccountAction> = {
  ban: {
    label: 'Ban account',
    text: 'All its sessions end and all its tokens are revoked immediately. Ten minutes later its paid plan ends, with a final invoice for overage.',
    isDangerous: true,
  },
  unban: {
    label: 'Lift ban',
    text: 'The person can sign in again. Revoked tokens stay revoked, and a plan that has ended stays ended.',
  },
  endSessions: {
    label: 'End all sessions',
    text: 'The person has to sign in again everywhere. Tokens keep working.',
  },
  liftTrialLimit: {
    label: 'Lift the trial limit',
    text: 'The account can start any number of trials, one at a time. They do not count toward the limit of its network address.',
  },
  restoreTrialLimit: {
    label: 'Restore the trial limit',
    text: 'The limits apply again and count the trials of the last 30 days.',
  },
  grantAdmin: {
    label: 'Grant operator role',
    text: 'They can do everything you can do here. They stay signed in where they next use the console, and are signed out everywhere else.',
  },
  revokeAdmin: {
    label: 'Remove operator role',
    text: 'They can no longer open these pages. They stay signed in where they next use the console, and are signed out everywhere else.',
  },
  delete: {
    label: 'Delete account',
    text: 'For good. Its ledger is kept under its id. Do not name the person in the reason, which is kept, too.',
    losses: lossesOf,
    isDangerous: true,
  },
};

function lossesOf({ balances, accountSubscriptions }: AccountDetailsQuery): (string | false)[] {
  return [
    'Its name, address, password, passkeys, sessions, listed requests and unsent email are deleted.',
    'All its tokens are revoked.',
    ...balances
      .filter(({ endsAt, creditsRemaining }) => !hasPassed(endsAt) && creditsRemaining > 0)
      .map(({ plan, creditsRemaining }) => `${plural(creditsRemaining, `${plan} record`)} left cannot be used.`),
    accountSubscriptions.some(({ status }) => ['trialing', 'active', 'past_due'].includes(status)) &&
      'Its paid plan ends at once, without a refund. Overage is still billed.',
  ];
}

/** The actions on an account: a role, a limit or a ban is either given or taken. */
const actionsFor = ({ role, banned, trialLimitLifted }: { role: string; banned: boolean; trialLimitLifted: boolean }) => {
  const roles: AccountChange[] = role === 'admin' ? ['revokeAdmin'] : banned ? [] : ['grantAdmin'];
  return [...roles, trialLimitLifted ? 'restoreTrialLimit' : 'liftTrialLimit', 'endSessions', banned ? 'unban' : 'ban', 'delete'] as const;
};

/** One account: its owner, balances, subscriptions and tokens, and the actions on it. */
export default function AccountPage({ id }: { id: string }) {
  const query = useAnswer(AccountDetailsDocument, { id });
  const account = query.data?.account;
  const part = useFilters().get('part');
  const ask = (name: AccountChange) => {
    const { label, text, losses, isDangerous } = actions[name];
    openDialog(
      <FormDialog
        title={`${label}?`}
        action={label}
        {...(isDangerous && { isDangerous })}
        asksReason
        onSubmit={({ reason = '' }) => changeIfRecent(ChangeAccountDocument, { id, change: name, reason })}
      >
        <Text>
          {account?.email}: {text}
        </Text>
        {losses && query.data && <Items of={losses(query.data)} />}
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
              <FilterSwitch label="Part" name="part" options={{ money: 'Balances', tokens: 'Tokens', requests: 'Requests' }} />
              {part === 'tokens' ? (
                <TokensList accountId={id} />
              ) : part === 'requests' ? (
                <RequestsPart accountId={id} />
              ) : (
                <>
                  <AccountBalances balances={data.balances} />
                  <AccountSubscriptions subscriptions={data.accountSubscriptions} />
                  <AccountInvoices accountId={id} />
                  {data.accountCharges.length > 0 && <AccountCharges charges={data.accountCharges} />}
                </>
              )}
              <Group>
                <TextLink href={paths.adminLedgerOf({ account: id })}>Ledger of the account</TextLink>
                <TextLink href={paths.adminJobsOf({ search: data.account.email })}>Unsent email</TextLink>
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
