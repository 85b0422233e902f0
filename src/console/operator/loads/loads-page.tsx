import { Button, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { formatCount } from '../../format/format.js';
import { refusalOf } from '../../graphql/client.js';
import { Loaded } from '../../graphql/loaded.js';
import { type LoadJobRowFragment, LoadJobsDocument, RetryLoadDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { useAction } from '../../hooks/use-action.js';
import { useFilters } from '../../hooks/use-filters.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { ActionError } from '../../ui/failures.js';
import { RowLink } from '../../ui/links.js';
import { StateBadge, type Tone } from '../../ui/state-badge.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { EmptyList, FilterBar, searchFor, stateIn } from '../../ui/tables/filter-bar.js';
import { Pager } from '../../ui/tables/pager.js';
import { Timestamp } from '../../ui/timestamp.js';
import { HeldReleaseLink, HeldReleaseState } from '../counties/release-state.js';
import { LoadProgress, usePolling } from './load-progress.js';

const pageSize = 20;
const filters = [
  searchFor('File, county, operator or message'),
  stateIn(['waiting', 'running', 'published', 'held', 'unchanged', 'failed']),
];
const tones: Record<string, Tone> = { published: 'good', failed: 'bad', held: 'warning', running: 'warning', waiting: 'neutral' };

type State = Pick<LoadJobRowFragment, 'state'>;

const isUnderWay = ({ state }: State): boolean => state === 'running' || state === 'waiting';

/** Loads, newest first. Those that operators start in the console run on the server; this page shows their progress. */
export default function LoadsPage() {
  const { get, page } = useFilters();
  const [query, reload] = useQuery({
    query: LoadJobsDocument,
    variables: { search: get('search'), state: get('state'), limit: pageSize, offset: (page - 1) * pageSize },
  });
  const hasWork = query.data?.loadJobs.jobs.some(isUnderWay) ?? false;
  usePolling(hasWork, reload);

  const retryLoad = useChange(RetryLoadDocument);
  const [retried, setRetried] = useState<string>();
  const retry = useAction(async (id: string) => {
    setRetried(id);
    await retryLoad({ id });
    reload({ requestPolicy: 'network-only' });
  });

  return (
    <Page title="Loads" description="Loads continue if you close this window.">
      <FilterBar filters={filters} errorOf={(name) => refusalOf(query.error, name)} />
      <ActionError error={retry.error} />
      {hasWork && query.error && (
        <Text mb="md" role="status">
          The progress of the loads is currently unknown. Retrying every second.
        </Text>
      )}
      <Loaded what="The loads" query={query} onRetry={reload} placeholder={<Skeleton height={420} />}>
        {({ loadJobs }) => (
          <>
            <DataTable
              label="Loads"
              rows={loadJobs.jobs}
              keyOf={({ id }) => id}
              empty={
                <EmptyList what="loads" filters={filters}>
                  Nothing has been loaded yet. <RowLink href={paths.adminCounties}>Choose a county</RowLink> and load a file for it.
                </EmptyList>
              }
              columns={[
                { title: 'File', cell: (job) => <FileAndMessage job={job} />, isText: true },
                {
                  title: 'County',
                  cell: ({ countyFips, countyName, countyState }) => (
                    <RowLink href={paths.adminCounty(countyFips)}>
                      {countyName}, {countyState}
                    </RowLink>
                  ),
                },
                { title: 'State', cell: (job) => <JobState job={job} /> },
                {
                  title: 'Release',
                  cell: ({ releaseId, state }) =>
                    releaseId &&
                    (state === 'held' ? (
                      <HeldReleaseLink releaseId={releaseId} />
                    ) : (
                      <RowLink href={paths.adminRelease(releaseId)}>{releaseId}</RowLink>
                    )),
                },
                { title: 'Loaded', cell: ({ rowsLoaded }) => formatCount(rowsLoaded), isNumber: true },
                { title: 'Rejected', cell: ({ rowsRejected }) => formatCount(rowsRejected), isNumber: true },
                { title: 'Started', cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
                { title: 'Finished', cell: ({ finishedAt }) => (finishedAt ? <Timestamp at={finishedAt} /> : '–') },
                { title: 'By', cell: ({ startedBy }) => startedBy ?? '–' },
                ...(loadJobs.jobs.some(({ isRetriable }) => isRetriable)
                  ? [
                      {
                        title: 'Actions',
                        cell: (job: LoadJobRowFragment) =>
                          job.isRetriable && (
                            <Button
                              variant="default"
                              size="compact-sm"
                              aria-label={`Try ${job.fileName} again`}
                              loading={retry.isBusy && retried === job.id}
                              onClick={() => void retry.run(job.id)}
                            >
                              Try again
                            </Button>
                          ),
                        isActions: true,
                      },
                    ]
                  : []),
              ]}
            />
            <Pager total={loadJobs.total} pageSize={pageSize} what="loads" />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function FileAndMessage({ job: { fileName, message } }: { job: LoadJobRowFragment }) {
  return (
    <>
      {fileName}
      {message && (
        <Text size="sm" c="dimmed" miw="min(20rem, 60vw)">
          {message}
        </Text>
      )}
    </>
  );
}

function JobState({ job }: { job: LoadJobRowFragment }) {
  const { state, releaseId } = job;
  if (state === 'held' && releaseId) return <HeldReleaseState releaseId={releaseId} />;
  return (
    <>
      <StateBadge state={state} tone={tones[state] ?? 'neutral'} />
      {isUnderWay(job) && (
        <div>
          <LoadProgress job={job} />
        </div>
      )}
    </>
  );
}
