import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useClient } from 'urql';
import { formatCount } from '../../format/format.js';
import type { RecordState } from '../../graphql/operations.js';
import { useRemote } from '../../hooks/use-remote.js';
import { LoadFailed } from '../../ui/failures.js';
import { Id } from '../../ui/id.js';
import { StateBadge, type Tone } from '../../ui/state-badge.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { DownloadRecords } from '../records/download-records.js';
import { fetchReturnedRecords } from './fetch-returned-records.js';
import { ParcelsMap } from './parcels-map.js';

const shownAtFirst = 100;

/** Of whether the current release still has the record. */
const tones: Record<RecordState, Tone> = { unchanged: 'good', changed: 'warning', gone: 'warning', unknown: 'neutral' };

/** The records of a read as a list and a map, free of charge since they were paid for. A release never changes, so they are the same. */
export function ReturnedRecords({ entryId, total }: { entryId: string; total: number }) {
  const client = useClient();
  const [limit, setLimit] = useState(Math.min(total, shownAtFirst));
  const records = useRemote(useCallback(() => fetchReturnedRecords(client, entryId, limit), [client, entryId, limit]));
  const failure = records.error && (
    <LoadFailed what={records.data ? 'All records' : 'The records'} message={records.error.message} onRetry={records.reload} />
  );
  if (!records.data) return failure ?? <Skeleton height={420} />;
  const shown = records.data.length;
  return (
    <section aria-labelledby="parcels-title">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="parcels-title">
          Parcels
        </Title>
        <DownloadRecords filter={{ entryId }} />
      </Group>
      <Stack>
        <ParcelsMap parcels={records.data} />
        <DataTable
          label="Returned records"
          choiceName="returned records"
          rows={records.data}
          keyOf={({ parcel_id }) => parcel_id}
          empty="The request returned no records."
          columns={[
            { title: 'Parcel', cell: ({ parcel_id }) => <Id id={parcel_id} what="parcel" /> },
            { title: 'County', cell: ({ county_fips }) => county_fips },
            { title: 'APN', cell: ({ apn }) => apn ?? '–', isText: true },
            { title: 'Situs address', cell: ({ situs_address }) => situs_address ?? '–', isText: true },
            { title: 'Owner', cell: ({ owner_name }) => owner_name ?? '–', isText: true },
            { title: 'Today', cell: ({ state }) => <StateBadge state={state} tone={tones[state]} /> },
          ]}
        />
        {failure}
        {!failure && (limit < total || records.isLoading) && shown < total && (
          <Group gap="sm">
            <Text size="sm">
              Showing {formatCount(shown)} of {formatCount(total)}.
            </Text>
            <Button variant="default" size="compact-md" loading={records.isLoading} onClick={() => setLimit(total)}>
              Show all
            </Button>
          </Group>
        )}
      </Stack>
    </section>
  );
}
