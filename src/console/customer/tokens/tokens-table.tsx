import { Button, Group, Progress, Text } from '@mantine/core';
import { Link } from 'wouter';
import { formatCount } from '../../format/format.js';
import type { TokenRowFragment } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { plans } from '../../site.js';
import { Id } from '../../ui/id.js';
import { TextLink } from '../../ui/links.js';
import { TokenState } from '../../ui/state-badge.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Timestamp } from '../../ui/timestamp.js';
import { isPaidToken } from './paid-token-offer.js';
import classes from './tokens-table.module.css';

interface TokensTableProps {
  tokens: TokenRowFragment[];
  mayReplace: (token: TokenRowFragment) => boolean;
  onCap: (token: TokenRowFragment) => void;
  onRename: (token: TokenRowFragment) => void;
  onReplace: (token: TokenRowFragment) => void;
  onRevoke: (token: TokenRowFragment) => void;
}

const look = { variant: 'default', size: 'compact-sm' } as const;

export function TokensTable({ tokens, mayReplace, onCap, onRename, onReplace, onRevoke }: TokensTableProps) {
  const actionsOf = (token: TokenRowFragment) => (
    <Group gap={6} className={classes.actions}>
      <Button component={Link} href={paths.ledgerOf(token.id)} {...look} aria-label={`Ledger of ${token.name}`}>
        Ledger
      </Button>
      <Button {...look} aria-label={`Rename ${token.name}`} onClick={() => onRename(token)}>
        Rename
      </Button>
      {mayReplace(token) && (
        <Button {...look} aria-label={`Replace ${token.name}`} onClick={() => onReplace(token)}>
          Replace
        </Button>
      )}
      {isPaidToken(token) && (
        <Button {...look} aria-label={`Cap ${token.name}`} onClick={() => onCap(token)}>
          Cap
        </Button>
      )}
      {token.state !== 'revoked' && (
        <Button {...look} aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
          Revoke
        </Button>
      )}
    </Group>
  );
  return (
    <DataTable
      label="Tokens"
      choiceName="tokens"
      rows={tokens}
      keyOf={({ id }) => id}
      empty="No tokens on this page."
      columns={[
        { title: 'Name', cell: (token) => <TokenName token={token} />, isText: true },
        { title: 'State', cell: (token) => <StateOf token={token} /> },
        { title: 'Credits left', cell: (token) => <CreditsLeft token={token} /> },
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
  const isAtOwnCap = periodCap !== null && periodRecords! >= periodCap;
  return (
    <>
      <TokenState state={state} />
      {plan === 'paid' && state === 'exhausted' && !isAtOwnCap && (
        <Text size="sm" mt={4}>
          No more records in this period. {plans.paid.isSold && <TextLink href={paths.billing}>View cap</TextLink>}
        </Text>
      )}
    </>
  );
}

function CreditsLeft({ token: { name, creditsRemaining, creditsIncluded, periodCap, periodRecords } }: { token: TokenRowFragment }) {
  return (
    <>
      {formatCount(creditsRemaining)} of {formatCount(creditsIncluded)}
      <Progress
        value={creditsIncluded === 0 ? 0 : (100 * creditsRemaining) / creditsIncluded}
        aria-label={`Credits left of ${name}`}
        maw={140}
        mt={4}
      />
      {periodCap !== null && (
        <Text size="sm" component="div" mt={4}>
          Cap: {formatCount(periodRecords!)} of {formatCount(periodCap)} used
          <Progress
            value={periodCap === 0 ? 100 : Math.min(100, (100 * periodRecords!) / periodCap)}
            color="orange"
            aria-label={`Cap used of ${name}`}
            maw={140}
            mt={4}
          />
        </Text>
      )}
    </>
  );
}
