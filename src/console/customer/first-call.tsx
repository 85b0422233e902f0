import { Anchor, List, Text } from '@mantine/core';
import { useCallback } from 'react';
import { useClient } from 'urql';
import { Link } from 'wouter';
import type { FirstReadQuery } from '../graphql/operations.js';
import { CodeBlock } from '../parts/code-block.js';
import { plural } from '../parts/format.js';
import { Timestamp } from '../parts/timestamp.js';
import { useRemote } from '../parts/use-remote.js';
import { paths } from '../paths.js';
import { fetchReturnedRecords } from './fetch-returned-records.js';

type Read = FirstReadQuery['ledger']['entries'][number];

const shownRecords = 3;

/** What to call, and, once it was called, what came of it. */
export function FirstCall({ hasToken, read }: { hasToken: boolean; read: Read | undefined }) {
  if (!hasToken) return <Text c="dimmed">With the token, from any program.</Text>;
  if (read) return <CameIn read={read} />;
  const command = `curl -H 'Authorization: Bearer YOUR_TOKEN' '${window.location.origin}/api/parcels?limit=${shownRecords}'`;
  return (
    <>
      <Text>
        Put your token in the place of <code>YOUR_TOKEN</code>, and run this in a terminal; it costs {plural(shownRecords, 'credit')}.
      </Text>
      <CodeBlock title="The first call" code={command} />
      <Text role="status">Waiting for it …</Text>
    </>
  );
}

function CameIn({ read: { id, at, records } }: { read: Read }) {
  const client = useClient();
  const { data = [] } = useRemote(
    useCallback(() => fetchReturnedRecords(client, id, Math.min(records, shownRecords)), [client, id, records]),
  );
  return (
    <>
      <Text role="status">
        There it is: {plural(records, 'record')}, <Timestamp at={at} style="exact" />.{' '}
        <Anchor component={Link} href={paths.ledgerEntry(id)} underline="always">
          Its line in the ledger
        </Anchor>
      </Text>
      {data.length > 0 && (
        <List size="sm">
          {data.map((record) => (
            <List.Item key={record.parcel_id}>
              {[record.apn, record.situs_address, record.owner_name].filter(Boolean).join(' · ') || record.parcel_id}
            </List.Item>
          ))}
        </List>
      )}
      {records === 0 && <Text size="sm">No record fits what it asked for, so it cost nothing.</Text>}
    </>
  );
}
