import { formatCount, plural } from '../format/format.js';
import type { HomePageQuery } from '../graphql/operations.js';
import { stateName } from '../map/states.js';
import { statusWords } from '../map/status.js';
import { paths } from '../paths.js';
import { coverageKinds } from '../public-api.js';
import { LoadFailed } from '../ui/failures.js';
import { RowLink } from '../ui/links.js';
import { DataTable } from '../ui/tables/data-table.js';

type StateRow = HomePageQuery['coverage']['states'][number];

interface StatesTableProps {
  states: StateRow[] | undefined;
  /** Leaves out states without records. */
  onlyRecords: boolean;
  error: Error | undefined;
  onRetry: () => void;
}

/** Coverage by state, sorted by name, with links to the counties of a state. Statuses that no county has are left out. */
export function StatesTable({ states, onlyRecords, error, onRetry }: StatesTableProps) {
  if (error) return <LoadFailed what="The states" onRetry={onRetry} />;
  const occurring = coverageKinds.filter((kind) => !states || states.some(({ byStatus }) => byStatus[kind] > 0));
  return (
    <DataTable
      label="Coverage by state"
      height="26rem"
      rows={states
        ?.filter(({ parcels }) => !onlyRecords || parcels > 0)
        .toSorted((one, other) => stateName(one.state).localeCompare(stateName(other.state)))}
      keyOf={({ state }) => state}
      empty="No county has records yet."
      twoLines={({ parcels, counties, byStatus }) => ({
        beside: plural(parcels, 'record'),
        below: `${plural(counties, 'county', 'counties')}: ${occurring
          .filter((kind) => byStatus[kind] > 0)
          .map((kind) => `${formatCount(byStatus[kind])} ${statusWords[kind].label.toLowerCase()}`)
          .join(', ')}`,
        belowRight: null,
      })}
      columns={[
        {
          title: 'State',
          cell: ({ state }) => <RowLink href={paths.stateCounties(state)}>{stateName(state)}</RowLink>,
        },
        { title: 'Records', cell: ({ parcels }) => formatCount(parcels), isNumber: true },
        { title: 'Counties', cell: ({ counties }) => formatCount(counties), isNumber: true },
        ...occurring.map((kind) => ({
          title: statusWords[kind].label,
          cell: (row: StateRow) => formatCount(row.byStatus[kind]),
          isNumber: true,
        })),
      ]}
    />
  );
}
