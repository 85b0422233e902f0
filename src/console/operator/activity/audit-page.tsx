import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { plural } from '../../format/format.js';
import { Loaded } from '../../graphql/loaded.js';
import { LastAuditDocument, type LastAuditQuery, RunAuditDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { useAction } from '../../hooks/use-action.js';
import { Page } from '../../shell/page.js';
import { ActionError } from '../../ui/failures.js';
import { StateBadge } from '../../ui/state-badge.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { Timestamp } from '../../ui/timestamp.js';
import { BillingDifferences } from './billing-differences.js';

const breakColumn: Column<NonNullable<LastAuditQuery['lastAudit']>['checks'][number]> = {
  title: 'First violation',
  cell: ({ detail }) => detail ?? '',
  isText: true,
};

/** The last audit of the ledger with the result of each invariant, and a button to run it again. */
export default function AuditPage() {
  const [query, reload] = useQuery({ query: LastAuditDocument });
  const runAudit = useChange(RunAuditDocument);
  const audit = useAction(async () => {
    await runAudit({});
    reload({ requestPolicy: 'network-only' });
  });
  return (
    <Page
      title="Ledger audit"
      description="Checks sums, balances, the hash chain, records against charges, and overage against what was billed."
      actions={
        <Button onClick={() => void audit.run()} loading={audit.isBusy}>
          Run now
        </Button>
      }
    >
      <ActionError error={audit.error} />
      <Loaded what="The audit" query={query} onRetry={reload} placeholder={<Skeleton height={320} />}>
        {({ lastAudit, billingDifferences }) =>
          lastAudit ? (
            <Stack>
              <Text role="status">
                <StateBadge state={lastAudit.ok ? 'all checks passed' : 'failed'} tone={lastAudit.ok ? 'good' : 'bad'} />{' '}
                {plural(lastAudit.entriesChecked, 'entry', 'entries')} checked, <Timestamp at={lastAudit.ranAt} />
              </Text>
              <DataTable
                label="Checks"
                rows={lastAudit.checks}
                keyOf={({ name }) => name}
                empty="No check was run."
                columns={[
                  { title: 'Check', cell: ({ name }) => name },
                  { title: 'Result', cell: ({ ok }) => <StateBadge state={ok ? 'passed' : 'failed'} tone={ok ? 'good' : 'bad'} /> },
                  ...(lastAudit.checks.some(({ detail }) => detail) ? [breakColumn] : []),
                ]}
              />
              <BillingDifferences differences={billingDifferences} onAnswered={() => reload({ requestPolicy: 'network-only' })} />
            </Stack>
          ) : (
            <Text>The audit has not run yet.</Text>
          )
        }
      </Loaded>
    </Page>
  );
}
