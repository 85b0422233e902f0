import { formatUsd, plural } from '../../format/format.js';
import type { LineOfBillFragment } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { TextLink } from '../../ui/links.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { Timestamp } from '../../ui/timestamp.js';

interface BillLinesProps {
  label: string;
  lines: LineOfBillFragment[];
  /** Whether the plan's period has begun, so that its grant is in the ledger. */
  isPast?: boolean;
}

/** A bill line by line. Overage leads to the reads that it bills, the plan to the records that it grants. */
export const BillLines = ({ label, lines, isPast = false }: BillLinesProps) => (
  <DataTable
    label={label}
    rows={lines}
    keyOf={(line) => lines.indexOf(line)}
    empty="No lines."
    columns={[
      { title: 'Line', cell: (line) => <What line={line} />, isText: true },
      { title: 'Amount', cell: ({ amountUsd }) => formatUsd(amountUsd), isNumber: true },
      { title: 'Entries', cell: (line) => <Entries line={line} isPast={isPast} />, isText: true },
    ]}
  />
);

const nameOfKind: Record<string, string> = {
  plan: 'API Records, next period',
  discount: 'Discount',
  tax: 'Tax',
  balance: 'Credit from earlier bills',
};

function What({ line: { kind, description, periodStart, periodEnd, records, unitUsd } }: { line: LineOfBillFragment }) {
  return (
    <>
      {kind === 'overage' ? `Overage: ${plural(records ?? 0, 'record')} at ${formatUsd(unitUsd!)}` : (description ?? nameOfKind[kind])}
      {periodStart && periodEnd && (
        <>
          , <Timestamp at={periodStart} /> to <Timestamp at={periodEnd} />
        </>
      )}
    </>
  );
}

function Entries({ line: { kind, periodStart, periodEnd }, isPast }: { line: LineOfBillFragment; isPast: boolean }) {
  if (kind === 'plan' && !isPast) return 'paid in advance';
  if (!periodStart || !periodEnd || (kind !== 'plan' && kind !== 'overage')) return null;
  const period = { from: periodStart, to: periodEnd };
  return (
    <TextLink href={kind === 'plan' ? paths.grantsOf(period) : paths.readsOf(period)}>
      {kind === 'plan' ? 'Grant of this period' : 'Reads of this period'}
    </TextLink>
  );
}
