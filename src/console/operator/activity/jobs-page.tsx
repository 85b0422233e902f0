import { Button, Skeleton } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { refusalOf } from '../../graphql/client.js';
import { Loaded } from '../../graphql/loaded.js';
import { type JobRowFragment, JobsDocument, type JobsQueryVariables, RetryJobDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { useAction } from '../../hooks/use-action.js';
import { useFilters } from '../../hooks/use-filters.js';
import { Page } from '../../shell/page.js';
import { ActionError } from '../../ui/failures.js';
import { StateBadge, type Tone } from '../../ui/state-badge.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { EmptyList, FilterBar, searchFor, stateIn } from '../../ui/tables/filter-bar.js';
import { Pager } from '../../ui/tables/pager.js';
import { Timestamp } from '../../ui/timestamp.js';

const pageSize = 50;
const states = ['waiting', 'running', 'failed'];
const filters = [searchFor('Task, id or error'), stateIn(states)];
const tones: Record<JobRowFragment['state'], Tone> = { waiting: 'neutral', running: 'warning', failed: 'bad' };

/** Background jobs. Failed ones come first and can be retried. */
export default function JobsPage() {
  const { get, page } = useFilters();
  const state = states.includes(get('state') ?? '') ? (get('state') as JobsQueryVariables['state']) : null;
  const [query, reload] = useQuery({
    query: JobsDocument,
    variables: { search: get('search'), state, limit: pageSize, offset: (page - 1) * pageSize },
  });
  const retryJob = useChange(RetryJobDocument);
  const [retried, setRetried] = useState<string>();
  const retry = useAction(async (id: string) => {
    setRetried(id);
    try {
      await retryJob({ id });
    } finally {
      reload({ requestPolicy: 'network-only' });
    }
  });
  const actionsOf = ({ id, task, state: jobState }: JobRowFragment) =>
    jobState !== 'running' && (
      <Button
        variant="default"
        size="compact-sm"
        aria-label={`Run ${task} ${id} now`}
        loading={retry.isBusy && retried === id}
        onClick={() => void retry.run(id)}
      >
        Run now
      </Button>
    );
  return (
    <Page title="Jobs" description="Emails, loads and scheduled tasks. Finished jobs are not kept.">
      <FilterBar filters={filters} errorOf={(name) => refusalOf(query.error, name)} />
      <ActionError error={retry.error} />
      <Loaded what="The jobs" query={query} onRetry={reload} placeholder={<Skeleton height={620} />}>
        {({ jobs }) => (
          <>
            <DataTable
              label="List of jobs"
              choiceName="jobs"
              rows={jobs.jobs}
              keyOf={({ id }) => id}
              empty={
                <EmptyList what="jobs" filters={filters}>
                  No jobs are pending.
                </EmptyList>
              }
              columns={[
                { title: 'Task', cell: ({ task }) => task },
                { title: 'State', cell: ({ state: jobState }) => <StateBadge state={jobState} tone={tones[jobState]} /> },
                { title: 'Attempts', cell: ({ attempts, maxAttempts }) => `${attempts} of ${maxAttempts}`, isNumber: true },
                { title: 'Due', cell: ({ runAt }) => <Timestamp at={runAt} style="exact" /> },
                { title: 'Error', cell: ({ lastError }) => lastError ?? '', isText: true },
                { title: 'Actions', cell: actionsOf, isActions: true },
              ]}
            />
            <Pager total={jobs.total} pageSize={pageSize} what="jobs" />
          </>
        )}
      </Loaded>
    </Page>
  );
}
