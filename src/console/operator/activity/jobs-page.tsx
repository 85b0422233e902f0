import { change } from '../../graphql/client.js';
import { type JobRowFragment, JobsDocument, RetryJobDocument } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { ActionButton, NextStep, StateBadge, Timestamp } from '../../ui/parts.js';
import { searchFor, stateIn } from '../../ui/tables/filter-bar.js';
import { listPage } from '../../ui/tables/list.js';

const states: JobRowFragment['state'][] = ['waiting', 'running', 'failed', 'kept'];

/** Background jobs. Failed ones come first and can be retried. */
export default listPage({
  title: 'Jobs',
  description: 'Emails, loads and scheduled tasks, until they are done. Once the cause of an error is gone, run the job.',
  document: JobsDocument,
  filters: [searchFor('Task, email, id or error'), stateIn(states)],
  // The query knows these states only.
  variables: (get) => ({ state: states.find((state) => state === get('state')) ?? null }),
  what: 'jobs',
  label: 'List of jobs',
  choiceName: 'jobs',
  columns: (jobs) => [
    { title: 'Task', cell: ({ task }) => task },
    { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
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
  ],
  empty: <NextStep says="No jobs are pending." link="See the loads" href={paths.adminLoads} />,
});
