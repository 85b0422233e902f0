import { Button, Group, Table, Title } from '@mantine/core';
import { useCallback } from 'react';
import { stateName } from '../map/states.js';
import { StatusBadge } from '../map/status-badge.js';
import { formatCount, formatDay } from '../parts/format.js';
import { LoadFailed } from '../parts/load-failed.js';
import { ScrollBox } from '../parts/scroll-box.js';
import { SkeletonRows } from '../parts/skeleton-rows.js';
import { useRemote } from '../parts/use-remote.js';
import { fetchStateCounties } from '../public-api.js';

/** The counties of one state: what the map says on hover, for everyone and on every device. */
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
      <ScrollBox label={`Counties of ${stateName(state)}`} height="24rem">
        <Table stickyHeader striped highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">County</Table.Th>
              <Table.Th scope="col">FIPS</Table.Th>
              <Table.Th scope="col">Status</Table.Th>
              <Table.Th scope="col" ta="right">
                Records
              </Table.Th>
              <Table.Th scope="col">Source date</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {!counties.data && <SkeletonRows rows={8} columns={5} />}
            {counties.data?.map((county) => (
              <Table.Tr key={county.fips}>
                <Table.Th scope="row" fw={500}>
                  {county.name}
                </Table.Th>
                <Table.Td>{county.fips}</Table.Td>
                <Table.Td>
                  <StatusBadge status={county.status} />
                </Table.Td>
                <Table.Td ta="right">{formatCount(county.parcel_count)}</Table.Td>
                <Table.Td>{county.source_date ? formatDay(county.source_date) : '–'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollBox>
    </>
  );
}
