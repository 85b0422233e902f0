import { Anchor, Table } from '@mantine/core';
import { stateName } from '../map/states.js';
import { statusWords } from '../map/status-words.js';
import { formatCount } from '../parts/format.js';
import { LoadFailed } from '../parts/load-failed.js';
import { ScrollBox } from '../parts/scroll-box.js';
import { SkeletonRows } from '../parts/skeleton-rows.js';
import { type Coverage, countyStatuses } from '../public-api.js';

interface StatesTableProps {
  states: Coverage['states'] | undefined;
  error: Error | undefined;
  onRetry: () => void;
  onChoose: (state: string) => void;
}

/** Coverage by state; a state's name opens its counties. */
export function StatesTable({ states, error, onRetry, onChoose }: StatesTableProps) {
  if (error) return <LoadFailed what="The states" onRetry={onRetry} />;
  return (
    <ScrollBox label="Coverage by state" height="26rem">
      <Table stickyHeader striped highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">State</Table.Th>
            <Table.Th scope="col" ta="right">
              Counties
            </Table.Th>
            {countyStatuses.map((status) => (
              <Table.Th key={status} scope="col" ta="right">
                {statusWords[status].label}
              </Table.Th>
            ))}
            <Table.Th scope="col" ta="right">
              Records
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {!states && <SkeletonRows rows={9} columns={7} />}
          {states?.map((row) => (
            <Table.Tr key={row.state}>
              <Table.Th scope="row">
                <Anchor component="button" type="button" onClick={() => onChoose(row.state)}>
                  {stateName(row.state)}
                </Anchor>
              </Table.Th>
              {[row.counties, ...countyStatuses.map((status) => row.by_status[status]), row.parcels].map((count, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change
                <Table.Td key={column} ta="right">
                  {formatCount(count)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  );
}
