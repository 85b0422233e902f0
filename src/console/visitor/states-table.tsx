import { Anchor } from '@mantine/core';
import { stateName } from '../map/states.js';
import { statusWords } from '../map/status-words.js';
import { DataTable } from '../parts/data-table.js';
import { formatCount } from '../parts/format.js';
import { LoadFailed } from '../parts/load-failed.js';
import { type Coverage, countyStatuses } from '../public-api.js';

interface StatesTableProps {
  states: Coverage['states'] | undefined;
  error: Error | undefined;
  onRetry: () => void;
  onChoose: (state: string) => void;
}

/** Coverage by state; the name of a state is a link to its counties. */
export function StatesTable({ states, error, onRetry, onChoose }: StatesTableProps) {
  if (error) return <LoadFailed what="The states" onRetry={onRetry} />;
  return (
    <DataTable
      label="Coverage by state"
      height="26rem"
      rows={states}
      keyOf={({ state }) => state}
      empty="No state is known."
      columns={[
        {
          title: 'State',
          cell: ({ state }) => (
            <Anchor component="button" type="button" size="sm" onClick={() => onChoose(state)}>
              {stateName(state)}
            </Anchor>
          ),
        },
        { title: 'Counties', cell: ({ counties }) => formatCount(counties), isNumber: true },
        ...countyStatuses.map((status) => ({
          title: statusWords[status].label,
          cell: (row: Coverage['states'][number]) => formatCount(row.by_status[status]),
          isNumber: true,
        })),
        { title: 'Records', cell: ({ parcels }) => formatCount(parcels), isNumber: true },
      ]}
    />
  );
}
