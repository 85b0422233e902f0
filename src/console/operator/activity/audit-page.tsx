import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { plural } from '../../format.js';
import { change, useAnswer } from '../../graphql/client.js';
import {
  AcknowledgeBillingDifferenceDocument,
  LastAuditDocument,
  type LastAuditQuery,
  RunAuditDocument,
} from '../../graphql/operations.js';
import { useAction } from '../../hooks/use-action.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { FormDialog, openDialog } from '../../ui/dialogs.js';
import { ActionError, Loaded, Section, StateBadge, TextLink, Timestamp } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';

/** The last audit of the ledger with the result of each invariant, and a button to run it again. */
export default function AuditPage() {
  const query = useAnswer(LastAuditDocument, {});
  const audit = useAction(() => change(RunAuditDocument, {}));
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
              <BillingDifferences differences={billingDifferences} />
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

type Difference = LastAuditQuery['billingDifferences'][number];

/** Lists the differences between our books and the payment processor, and the operators' answers to them. */
function BillingDifferences({ differences }: { differences: Difference[] }) {
  const acknowledge = ({ id, text }: Difference) =>
    openDialog(
      <FormDialog
        title="Acknowledge this difference?"
        action="Acknowledge"
        asksReason
        onSubmit={({ reason = '' }) => change(AcknowledgeBillingDifferenceDocument, { id, reason })}
      >
        <Text>{text}. It is not reported again unless it changes.</Text>
      </FormDialog>,
    );
  return (
    <Section title="Differences from Stripe">
      <DataTable
        label="List of differences"
        rows={differences}
        empty="No differences. In the last comparison, our books and Stripe agreed."
        columns={[
          { title: 'What', cell: ({ text }) => text, isText: true },
          {
            title: 'Account',
            cell: ({ accountId }) => <TextLink href={paths.adminAccount(accountId)}>{accountId}</TextLink>,
          },
          { title: 'Since', cell: ({ foundAt }) => <Timestamp at={foundAt} /> },
          {
            title: 'Acknowledged',
            cell: (difference) =>
              difference.reason ?? (
                <Button size="compact-sm" variant="default" onClick={() => acknowledge(difference)}>
                  Acknowledge
                </Button>
              ),
            isText: true,
          },
        ]}
      />
    </Section>
  );
}
