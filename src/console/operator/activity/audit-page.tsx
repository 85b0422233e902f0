import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { plural } from '../../format/format.js';
import { Loaded } from '../../graphql/loaded.js';
import { LastAuditDocument, type LastAuditQuery, RunAuditDocument } from '../../graphql/operations.js';
import { useAnswer } from '../../graphql/use-answer.js';
import { useChange } from '../../graphql/use-change.js';
import { useAction } from '../../hooks/use-action.js';
import { Page } from '../../shell/page.js';
import { ActionError } from '../../ui/failures.js';
import { StateBadge } from '../../ui/state-badge.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Timestamp } from '../../ui/timestamp.js';
import { BillingDifferences } from './billing-differences.js';

/** The last audit of the ledger with the result of each invariant, and a button to run it again. */
export default function AuditPage() {
  const query = useAnswer(LastAuditDocument, {});
  const runAudit = useChange(RunAuditDocument);
  const audit = useAction(async () => {
    await runAudit({});
    query.refetch();
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
      <Loaded what="The ledger audit" answer={query} placeholder={<Skeleton height={320} />}>
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
                  { title: 'Check', cell: (check) => <CheckName check={check} />, isText: true },
                  { title: 'Result', cell: ({ ok }) => <StateBadge state={ok ? 'passed' : 'failed'} tone={ok ? 'good' : 'bad'} /> },
                ]}
              />
              <BillingDifferences differences={billingDifferences} onAnswered={query.refetch} />
            </Stack>
          ) : (
            <Text>The ledger audit has not run yet.</Text>
          )
        }
      </Loaded>
    </Page>
  );
}

/** The invariant and, if it is broken, the first violation: a column of its own would hide the result on a phone. */
function CheckName({ check: { name, detail } }: { check: NonNullable<LastAuditQuery['lastAudit']>['checks'][number] }) {
  return (
    <>
      {name}
      {detail && (
        <Text size="sm" mt={4}>
          First violation: {detail}
        </Text>
      )}
    </>
  );
}
