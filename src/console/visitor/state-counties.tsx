import { Button, Group, Title } from '@mantine/core';
import { useCallback } from 'react';
import { stateName } from '../map/states.js';
import { StatusBadge } from '../map/status-badge.js';
import { DataTable } from '../parts/data-table.js';
import { formatCount, formatDay } from '../parts/format.js';
import { LoadFailed } from '../parts/load-failed.js';
import { useRemote } from '../parts/use-remote.js';
import { fetchStateCounties } from '../public-api.js';

/** The counties of one state, with what the map shows on hover, for devices and people that cannot hover. */
export function StateCounties({ state, onClose }: { state: string; onClose: () => void }) {
  const counties = useRemote(useCallback((signal) => fetchStateCounties(state, signal), [state]));
  if (counties.error) return <LoadFailed what={`The counties of ${stateName(state)}`} onRetry={counties.reload} />;
  return (
    <>
      <Group mb="xs">
        <Title order={3} size="h4">
          {stateName(state)}
        </Title>
        <Button variant="default" size="compact-sm" onClick={onClose}>
          All states
        </Button>
      </Group>
      <DataTable
        label={`Counties of ${stateName(state)}`}
        height="24rem"
        rows={counties.data}
        keyOf={({ fips }) => fips}
        empty="There is no state of this code."
        columns={[
          { title: 'County', cell: ({ name }) => name },
          { title: 'FIPS', cell: ({ fips }) => fips },
          { title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
          { title: 'Records', cell: ({ parcel_count }) => formatCount(parcel_count), isNumber: true },
          { title: 'Source date', cell: ({ source_date }) => (source_date ? formatDay(source_date) : '–') },
        ]}
      />
    </>
  );
}
