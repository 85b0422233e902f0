import { Skeleton } from '@mantine/core';
import { useQuery } from 'urql';
import { formatCount } from '../../format/format.js';
import { refusalOf } from '../../graphql/client.js';
import { Loaded } from '../../graphql/loaded.js';
import { ReleasesDocument } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { RowLink } from '../../ui/links.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { EmptyList, FilterBar, stateIn } from '../../ui/tables/filter-bar.js';
import { Pager } from '../../ui/tables/pager.js';
import { Timestamp } from '../../ui/timestamp.js';
import { ReleaseState } from './release-state.js';

const pageSize = 50;
const filters = [
  { label: 'County', name: 'search', placeholder: 'Name or FIPS code' },
  stateIn(['held', 'current', 'previous', 'loading', 'unchanged', 'failed', 'discarded', 'pruned']),
];

/** Releases of all counties, newest first. */
export default function ReleasesPage() {
  const { get, page } = useFilters();
  const [query, reload] = useQuery({
    query: ReleasesDocument,
    variables: { search: get('search'), state: get('state'), limit: pageSize, offset: (page - 1) * pageSize },
  });
  return (
    <Page title="Releases" description="Each load of a county creates a release. A held release waits for your decision.">
      <FilterBar filters={filters} errorOf={(name) => refusalOf(query.error, name)} />
      <Loaded what="The releases" query={query} onRetry={reload} placeholder={<Skeleton height={620} />}>
        {({ releases: { releases, total } }) => (
          <>
            <DataTable
              label="Releases"
              rows={releases}
              keyOf={({ id }) => id}
              empty={
                <EmptyList what="releases" filters={filters}>
                  No releases yet: nothing has been loaded.
                </EmptyList>
              }
              columns={[
                {
                  title: 'Release',
                  cell: ({ id, state }) => (
                    <RowLink href={paths.adminRelease(id)}>{state === 'held' ? `Review release ${id}` : id}</RowLink>
                  ),
                },
                {
                  title: 'County',
                  cell: ({ countyFips, countyName, countyState }) => (
                    <RowLink href={paths.adminCounty(countyFips)}>
                      {countyName}, {countyState} ({countyFips})
                    </RowLink>
                  ),
                },
                { title: 'State', cell: ({ state }) => <ReleaseState state={state} /> },
                { title: 'Extent', cell: ({ part, isPartial }) => part ?? (isPartial ? 'partial' : 'county') },
                { title: 'Records', cell: ({ rowsLoaded, recordsKept }) => formatCount(rowsLoaded + recordsKept), isNumber: true },
                { title: 'Source', cell: ({ sourceName }) => sourceName, isText: true },
                { title: 'Started', cell: ({ startedAt }) => <Timestamp at={startedAt} /> },
              ]}
            />
            <Pager total={total} pageSize={pageSize} what="releases" />
          </>
        )}
      </Loaded>
    </Page>
  );
}
