import { Skeleton, Stack, Text } from '@mantine/core';
import { plural } from '../../format.js';
import { change, useAnswer } from '../../graphql/client.js';
import {
  AcknowledgeBillingDifferenceDocument,
  LastAuditDocument,
  type LastAuditQuery,
  RunAuditDocument,
} from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { DialogButton, FormDialog } from '../../ui/dialogs.js';
import { ActionButton, Loaded, Section, StateBadge, TextLink, Timestamp } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';

/** The last audit of the ledger with the result of each invariant, and a button to run it again. */
export default function AuditPage() {
  const query = useAnswer(LastAuditDocument, {});
  return (
    <Page
      title="Ledger audit"
      description="Checks sums, balances, the hash chain, records against charges, and overage against what was billed. Each night what is new and a 28th of the rest, by the button everything."
      actions={
        <ActionButton variant="filled" size="sm" act={() => change(RunAuditDocument, {})}>
          Run now
        </ActionButton>
      }
    >
      <Loaded what="The ledger audit" answer={query} placeholder={<Skeleton height={320} />}>
        {({ lastAudit, billingDifferences }) =>
          lastAudit ? (
            <Stack>
              <Text role="status">
                <StateBadge state={lastAudit.ok ? 'all checks passed' : 'failed'} /> {plural(lastAudit.entriesChecked, 'entry', 'entries')}{' '}
                checked, <Timestamp at={lastAudit.ranAt} />
              </Text>
              <DataTable
                label="Checks"
                rows={lastAudit.checks}
                keyOf={({ name }) => name}
                empty="No check was run."
                columns={[
                  { title: 'Check', cell: (check) => <CheckName check={check} />, isText: true },
                  { title: 'Result', cell: ({ ok }) => <StateBadge state={ok ? 'passed' : 'failed'} /> },
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
  const dialogOf = ({ id, text }: Difference) => (
    <FormDialog
      title="Acknowledge this difference?"
      action="Acknowledge"
      asksReason
      onSubmit={({ reason = '' }) => change(AcknowledgeBillingDifferenceDocument, { id, reason })}
    >
      <Text>{text}. It is not reported again unless it changes.</Text>
    </FormDialog>
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
                <DialogButton label="Acknowledge" size="compact-sm">
                  {dialogOf(difference)}
                </DialogButton>
              ),
            isText: true,
          },
        ]}
      />
    </Section>
  );
}
