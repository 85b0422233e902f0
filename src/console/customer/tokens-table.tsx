import { ActionIcon, Code, Menu, Progress, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { TokenRowFragment } from '../graphql/operations.js';
import { DataTable } from '../parts/data-table.js';
import { formatCount } from '../parts/format.js';
import { DotsIcon } from '../parts/icons.js';
import { TokenState } from '../parts/state-badge.js';
import { Timestamp } from '../parts/timestamp.js';
import { paths } from '../paths.js';

interface TokensTableProps {
  tokens: TokenRowFragment[];
  mayReplace: (token: TokenRowFragment) => boolean;
  onRename: (token: TokenRowFragment) => void;
  onReplace: (token: TokenRowFragment) => void;
  onRevoke: (token: TokenRowFragment) => void;
}

export function TokensTable({ tokens, mayReplace, onRename, onReplace, onRevoke }: TokensTableProps) {
  const actionsOf = (token: TokenRowFragment) => (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={`Actions for ${token.name}, ${token.hint}`}>
          <DotsIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} href={paths.ledgerOf(token.id)}>
          Ledger
        </Menu.Item>
        <Menu.Item onClick={() => onRename(token)}>Rename…</Menu.Item>
        {mayReplace(token) && <Menu.Item onClick={() => onReplace(token)}>Replace…</Menu.Item>}
        {token.state !== 'revoked' && <Menu.Item onClick={() => onRevoke(token)}>Revoke…</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
  return (
    <DataTable
      label="Tokens"
      rows={tokens}
      keyOf={({ id }) => id}
      empty="There is no token yet."
      columns={[
        { title: 'Name', cell: (token) => <TokenName token={token} /> },
        { title: 'State', cell: ({ state }) => <TokenState state={state} /> },
        { title: 'Credits left', cell: (token) => <CreditsLeft token={token} /> },
        {
          title: 'Expires',
          cell: ({ expiresAt }) => (expiresAt ? <Timestamp at={expiresAt} style="relative" /> : 'with the subscription'),
        },
        { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Timestamp at={lastUsedAt} style="relative" /> : 'never') },
        { title: 'Made', cell: ({ issuedAt }) => <Timestamp at={issuedAt} /> },
        { title: 'Actions', cell: actionsOf },
      ]}
    />
  );
}

function TokenName({ token: { name, hint } }: { token: TokenRowFragment }) {
  return (
    <>
      <Text fw={600} maw={240} truncate title={name}>
        {name}
      </Text>
      <Code>{hint}</Code>
    </>
  );
}

function CreditsLeft({ token: { name, creditsRemaining, creditsIncluded } }: { token: TokenRowFragment }) {
  return (
    <>
      {formatCount(creditsRemaining)} of {formatCount(creditsIncluded)}
      <Progress
        value={creditsIncluded === 0 ? 0 : (100 * creditsRemaining) / creditsIncluded}
        aria-label={`Credits left of ${name}`}
        w={140}
        mt={4}
      />
    </>
  );
}
