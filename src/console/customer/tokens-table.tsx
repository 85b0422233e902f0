import { ActionIcon, Code, Menu, Progress, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { TokenRowFragment } from '../graphql/operations.js';
import { formatCount } from '../parts/format.js';
import { DotsIcon } from '../parts/icons.js';
import { ScrollBox } from '../parts/scroll-box.js';
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
  return (
    <ScrollBox label="Tokens">
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Name</Table.Th>
            <Table.Th scope="col">State</Table.Th>
            <Table.Th scope="col">Credits left</Table.Th>
            <Table.Th scope="col">Expires</Table.Th>
            <Table.Th scope="col">Last used</Table.Th>
            <Table.Th scope="col">Made</Table.Th>
            <Table.Th scope="col">Actions</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tokens.map((token) => (
            <Table.Tr key={token.id}>
              <Table.Th scope="row">
                <Text fw={600} maw={240} truncate title={token.name}>
                  {token.name}
                </Text>
                <Code>{token.hint}</Code>
              </Table.Th>
              <Table.Td>
                <TokenState state={token.state} />
              </Table.Td>
              <Table.Td>
                <CreditsLeft token={token} />
              </Table.Td>
              <Table.Td>{token.expiresAt ? <Timestamp at={token.expiresAt} style="relative" /> : 'with the subscription'}</Table.Td>
              <Table.Td>{token.lastUsedAt ? <Timestamp at={token.lastUsedAt} style="relative" /> : 'never'}</Table.Td>
              <Table.Td>
                <Timestamp at={token.issuedAt} />
              </Table.Td>
              <Table.Td>
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
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}

function CreditsLeft({ token }: { token: TokenRowFragment }) {
  const { creditsRemaining, creditsIncluded } = token;
  return (
    <>
      <Text size="sm">
        {formatCount(creditsRemaining)} of {formatCount(creditsIncluded)}
      </Text>
      <Progress
        value={creditsIncluded === 0 ? 0 : (100 * creditsRemaining) / creditsIncluded}
        aria-label={`Credits left of ${token.name}`}
        w={140}
        mt={4}
      />
    </>
  );
}
