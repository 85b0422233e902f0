import { ReleasesDocument } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { NextStep, RowLink } from '../../ui/parts.js';
import { stateIn } from '../../ui/tables/filter-bar.js';
import { listPage } from '../../ui/tables/list.js';
import { releaseColumns } from './release-columns.js';

/** Releases of all counties, newest first. */
export default listPage({
  title: 'Releases',
  description: 'Each load of a county creates a release. A held release waits for your decision.',
  document: ReleasesDocument,
  filters: [
    { label: 'County', name: 'search', placeholder: 'Name or FIPS code' },
    stateIn(['held', 'current', 'previous', 'loading', 'unchanged', 'failed', 'discarded', 'pruned']),
  ],
  what: 'releases',
  choiceName: 'releases',
  columns: () =>
    releaseColumns({
      title: 'County',
      cell: ({ countyFips, countyName, countyState }) => (
        <RowLink href={paths.adminCounty(countyFips)}>{`${countyName}, ${countyState} (${countyFips})`}</RowLink>
      ),
    }),
  empty: <NextStep says="No releases yet." link="Choose a county to load" href={paths.adminCounties} />,
});
