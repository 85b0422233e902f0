import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { plural } from '../../format/format.js';
import type { FirstReadQuery } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { CodeBlock } from '../../ui/code-block.js';
import { Timestamp } from '../../ui/timestamp.js';

type Read = FirstReadQuery['ledger']['entries'][number];

const askedRecords = 3;

/** What to call, and, once it was called, what came of it. */
export function FirstCall({ hasToken, read }: { hasToken: boolean; read: Read | undefined }) {
  if (!hasToken) return <Text c="dimmed">With the token, from any program.</Text>;
  if (read) return <CameIn read={read} />;
  const command = `curl -H 'Authorization: Bearer YOUR_TOKEN' '${window.location.origin}/api/parcels?limit=${askedRecords}'`;
  return (
    <>
      <Text>
        Put your token in the place of <code>YOUR_TOKEN</code>, and run this in a terminal; it costs {plural(askedRecords, 'credit')}.
      </Text>
      <CodeBlock title="The first call" code={command} />
      <Text role="status">Waiting for it …</Text>
    </>
  );
}

/** Without its records: to show them is to deliver them once more, which the ledger would say in a line that nobody asked for. */
function CameIn({ read: { id, at, records } }: { read: Read }) {
  return (
    <>
      <Text role="status">
        There it is: {plural(records, 'record')}, <Timestamp at={at} style="exact" />.{' '}
        <Anchor component={Link} href={paths.ledgerEntry(id)} underline="always">
          Its line in the ledger, and its records
        </Anchor>
      </Text>
      {records === 0 && <Text size="sm">No record fits what it asked for, so it cost nothing.</Text>}
    </>
  );
}
