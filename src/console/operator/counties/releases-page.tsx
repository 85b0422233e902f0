import { formatCount } from '../../format.js';
import { ReleasesDocument } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { RowLink, TextLink, Timestamp } from '../../ui/parts.js';
import { stateIn } from '../../ui/tables/filter-bar.js';
import { List, useList } from '../../ui/tables/list.js';
import { ReleaseState } from './releases-table.js';

const filters = [
  { label: 'County', name: 'search', placeholder: 'Name or FIPS code' },
  stateIn(['held', 'current', 'previous', 'loading', 'unchanged', 'failed', 'discarded', 'pruned']),
];

/** Releases of all counties, newest first. */
export default function ReleasesPage() {
  const list = useList(ReleasesDocument, { filters });
  return (
    <Page title="Releases" description="Each load of a county creates a release. A held release waits for your decision.">
      <List
        list={list}
        what="releases"
        read={({ releases: { releases: rows, total } }) => ({ rows, total })}
        columns={() => [
          {
            title: 'Release',
            cell: ({ id, state }) => <RowLink href={paths.adminRelease(id)}>{state === 'held' ? `Review release ${id}` : id}</RowLink>,
          },
          {
            title: 'County',
            cell: ({ countyFips, countyName, countyState }) => (
              <RowLink href={paths.adminCounty(countyFips)}>{`${countyName}, ${countyState} (${countyFips})`}</RowLink>
            ),
          },
          { title: 'State', cell: ({ state }) => <ReleaseState state={state} /> },
          { title: 'Extent', cell: ({ part, isPartial }) => part ?? (isPartial ? 'partial' : 'county') },
          { title: 'Records', cell: ({ rowsLoaded, recordsKept }) => formatCount(rowsLoaded + recordsKept), isNumber: true },
          { title: 'Source', cell: ({ sourceName }) => sourceName, isText: true },
          { title: 'Started', cell: ({ startedAt }) => <Timestamp at={startedAt} /> },
        ]}
        empty={
          <>
            No releases yet. <TextLink href={paths.adminCounties}>Choose a county to load</TextLink>
          </>
        }
      />
    </Page>
  );
}
