import { Title } from '@mantine/core';
import { useCallback, useEffect, useRef } from 'react';
import { formatCount, formatDay } from '../format/format.js';
import { useRemote } from '../hooks/use-remote.js';
import { stateName } from '../map/states.js';
import { StatusBadge } from '../map/status.js';
import { paths } from '../paths.js';
import { fetchStatePage, kindOf } from '../public-api.js';
import { LoadFailed } from '../ui/failures.js';
import { RowLink } from '../ui/links.js';
import { DataTable } from '../ui/tables/data-table.js';

interface StateCountiesProps {
  state: string;
  /** Leaves out counties without records. */
  onlyRecords: boolean;
}

/** The counties of one state, those with records first, each with a link to its page. */
export function StateCounties({ state, onlyRecords }: StateCountiesProps) {
  const title = useRef<HTMLHeadingElement>(null);
  // A link to a state moves the focus to its name.
  useEffect(() => {
    if (state && window.location.hash === '#counties') title.current?.focus();
  }, [state]);
  const page = useRemote(
    useCallback((signal) => fetchStatePage(state, signal), [state]),
    `counties of ${state}`,
  );
  const counties = page.data?.counties.counties;
  return (
    <>
      <Title order={3} size="h4" id="counties" ref={title} tabIndex={-1} mb="xs">
        {stateName(state)}
      </Title>
      {page.error && !counties ? (
        <LoadFailed what={`The counties of ${stateName(state)}`} onRetry={page.reload} />
      ) : (
        <DataTable
          label={`Counties of ${stateName(state)}`}
          height="24rem"
          rows={counties
            ?.filter(({ parcelCount }) => !onlyRecords || parcelCount > 0)
            .toSorted((one, other) => Number(other.parcelCount > 0) - Number(one.parcelCount > 0) || one.name.localeCompare(other.name))}
          keyOf={({ fips }) => fips}
          empty={counties?.length ? `No county of ${stateName(state)} has records yet.` : 'There is no state with this code.'}
          columns={[
            {
              title: 'County',
              cell: ({ fips, name }) => <RowLink href={paths.county(fips)}>{name}</RowLink>,
            },
            { title: 'FIPS', cell: ({ fips }) => fips },
            { title: 'Status', cell: (county) => <StatusBadge status={kindOf(county)} /> },
            { title: 'Records', cell: ({ parcelCount }) => formatCount(parcelCount), isNumber: true },
            { title: 'Source date', cell: ({ sourceDate }) => formatDay(sourceDate) },
          ]}
        />
      )}
    </>
  );
}
