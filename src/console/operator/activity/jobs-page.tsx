import { change } from '../../graphql/client.js';
import { type JobRowFragment, JobsDocument, type JobsQueryVariables, RetryJobDocument } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { ActionButton, StateBadge, TextLink, Timestamp, type Tone } from '../../ui/parts.js';
import { searchFor, stateIn } from '../../ui/tables/filter-bar.js';
import { List, useList } from '../../ui/tables/list.js';

const tones: Record<JobRowFragment['state'], Tone> = { waiting: 'neutral', running: 'warning', failed: 'bad', kept: 'warning' };
const filters = [searchFor('Task, email, id or error'), stateIn(Object.keys(tones))];

/** Background jobs. Failed ones come first and can be retried. */
export default function JobsPage() {
  const state = useFilters().get('state') ?? '';
  // The query knows these states only.
  const variables = { state: state in tones ? (state as JobsQueryVariables['state']) : null };
  const list = useList(JobsDocument, { filters, variables });
  return (
    <Page
      title="Jobs"
      description="Emails, loads and scheduled tasks, until they are done. Once the cause of an error is gone, run the job."
    >
      <List
        list={list}
        what="jobs"
        label="List of jobs"
        choiceName="jobs"
        read={({ jobs: { jobs: rows, total } }) => ({ rows, total })}
        columns={(jobs) => [
          { title: 'Task', cell: ({ task }) => task },
          { title: 'State', cell: (job) => <StateBadge state={job.state} tone={tones[job.state]} /> },
          { title: 'Attempts', cell: ({ attempts, maxAttempts }) => `${attempts} of ${maxAttempts}`, isNumber: true },
          { title: 'Due', cell: ({ runAt }) => <Timestamp at={runAt} style="exact" /> },
          jobs.some(({ email }) => email) && { title: 'Email', cell: ({ email }) => email ?? '', isText: true },
          { title: 'Error', cell: ({ lastError }) => lastError ?? '', isText: true },
          {
            title: 'Actions',
            cell: (job) =>
              (job.state === 'failed' || job.state === 'waiting') && (
                <ActionButton aria-label={`Run now: ${job.task} ${job.id}`} act={() => change(RetryJobDocument, { id: job.id })}>
                  Run now
                </ActionButton>
              ),
            isActions: true,
          },
        ]}
        empty={
          <>
            No jobs are pending. <TextLink href={paths.adminLoads}>See the loads</TextLink>
          </>
        }
      />
    </Page>
  );
}
