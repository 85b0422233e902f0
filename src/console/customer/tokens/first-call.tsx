import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { plural } from '../../format/format.js';
import type { FirstReadQuery } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { CodeBlock } from '../../ui/code/code-block.js';
import { Timestamp } from '../../ui/timestamp.js';

type Read = FirstReadQuery['ledger']['entries'][number];

const askedRecords = 3;

/** The command for the first call and, after the call, its result. */
export function FirstCall({ hasToken, read }: { hasToken: boolean; read: Read | undefined }) {
  if (!hasToken) return <Text c="dimmed">With your token, from any program.</Text>;
  if (read) return <FirstReadResult read={read} />;
  const command = `curl -H 'Authorization: Bearer YOUR_TOKEN' '${window.location.origin}/api/parcels?limit=${askedRecords}'`;
  return (
    <>
      <Text>
        Replace <code>YOUR_TOKEN</code> with your token and run this in a terminal. It costs {plural(askedRecords, 'credit')}.
      </Text>
      <CodeBlock title="First call" code={command} />
      <Text role="status">Waiting for your call …</Text>
    </>
  );
}

/** Links to the records instead of showing them: showing them would write a replay into the ledger. */
function FirstReadResult({ read: { id, at, records } }: { read: Read }) {
  return (
    <>
      <Text role="status">
        Received: {plural(records, 'record')}, <Timestamp at={at} style="exact" />.{' '}
        <Anchor component={Link} href={paths.ledgerEntry(id)} underline="always">
          See its ledger entry and its records
        </Anchor>
      </Text>
      {records === 0 && <Text size="sm">No record matched the request, so it cost nothing.</Text>}
    </>
  );
}
