import { Text } from '@mantine/core';
import { formatCount } from '../../format.js';
import { change } from '../../graphql/client.js';
import { type LoadJobRowFragment, LoadJobsDocument, RetryLoadDocument } from '../../graphql/operations.js';
import { usePolling } from '../../hooks/use-polling.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { ActionButton, NextStep, RowLink, StateBadge, Timestamp } from '../../ui/parts.js';
import { searchFor, stateIn } from '../../ui/tables/filter-bar.js';
import { List, useList } from '../../ui/tables/list.js';
import { ReleaseLink } from '../counties/release-columns.js';
import { ColumnsButton } from './load-draft.js';
import { LoadProgress, loadPollMs } from './load-progress.js';

const filters = [
  searchFor('File, county, operator or message'),
  stateIn(['waiting', 'running', 'published', 'held', 'unchanged', 'failed']),
];

const isUnderWay = ({ state }: LoadJobRowFragment): boolean => state === 'running' || state === 'waiting';

/** Loads, newest first. Those that operators start in the console run on the server; this page shows their progress. */
export default function LoadsPage() {
  const list = useList(LoadJobsDocument, { filters, pageSize: 20 });
  const { data, error, refetch } = list;
  const hasWork = data?.page.rows.some(isUnderWay) ?? false;
  usePolling(hasWork, refetch, loadPollMs);
  return (
    <Page title="Loads" description="Loads continue if you close this window.">
      {hasWork && error && (
        <Text mb="md" role="status">
          The progress of the loads is currently unknown. Retrying every second.
        </Text>
      )}
      <List
        list={list}
        what="loads"
        columns={(jobs) => [
          { title: 'File', cell: (job) => <FileAndMessage job={job} />, isText: true },
          {
            title: 'County',
            cell: ({ countyFips, countyName, countyState }) => (
              <RowLink href={paths.adminCounty(countyFips)}>{`${countyName}, ${countyState}`}</RowLink>
            ),
          },
          {
            title: 'State',
            cell: (job) => (
              <>
                <StateBadge state={job.state} />
                {isUnderWay(job) && (
                  <div>
                    <LoadProgress job={job} />
                  </div>
                )}
              </>
            ),
          },
          { title: 'Release', cell: ({ releaseId, state }) => releaseId && <ReleaseLink id={releaseId} state={state} /> },
          { title: 'Loaded', cell: ({ rowsLoaded }) => formatCount(rowsLoaded), isNumber: true },
          { title: 'Rejected', cell: ({ rowsRejected }) => formatCount(rowsRejected), isNumber: true },
          { title: 'Started', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
          { title: 'Finished', cell: ({ finishedAt }) => <Timestamp at={finishedAt} /> },
          { title: 'By', cell: ({ startedBy }) => startedBy ?? '–' },
          jobs.some(({ isRetriable }) => isRetriable) && {
            title: 'Actions',
            cell: (job) =>
              job.isRetriable && (
                <>
                  <ActionButton aria-label={`Try again: ${job.fileName}`} act={() => change(RetryLoadDocument, { id: job.id })}>
                    Try again
                  </ActionButton>
                  <ColumnsButton job={job} size="compact-sm" />
                </>
              ),
            isActions: true,
          },
        ]}
        empty={<NextStep says="No loads yet." link="Choose a county to load" href={paths.adminCounties} />}
      />
    </Page>
  );
}

/** The file and what is said of it: only the beginning, except of a load that failed, which has no other page. */
function FileAndMessage({ job: { fileName, message, state } }: { job: LoadJobRowFragment }) {
  return (
    <>
      {fileName}
      {message && (
        <Text size="sm" c="dimmed" miw="min(20rem, 60vw)" lineClamp={state === 'failed' ? undefined : 2}>
          {message}
        </Text>
      )}
    </>
  );
}
