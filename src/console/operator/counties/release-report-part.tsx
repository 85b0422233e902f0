import { Paper, Text, Title } from '@mantine/core';
import { formatCount, formatShare } from '../../format/format.js';
import { DataTable } from '../../ui/data-table.js';
import { Facts } from '../../ui/facts.js';
import type { ReleaseDetails } from './release-page.js';

type Report = NonNullable<ReleaseDetails['report']>;
type Comparison = NonNullable<Report['comparison']>;

/** What a load found out of its release: how it differs from the one before, and how full each field is. */
export function ReleaseReportPart({ records, report }: { records: number; report: Report }) {
  const { comparison } = report;
  return (
    <>
      <section aria-labelledby="differences-title">
        <Title order={2} size="h4" id="differences-title" mb="sm">
          {comparison ? `Against release ${comparison.releaseId}` : 'The first release'}
        </Title>
        <Differences records={records} report={report} />
      </section>
      {comparison && comparison.changedRecords.length > 0 && <ChangedRecords comparison={comparison} />}
      <section aria-labelledby="fields-title">
        <Title order={2} size="h4" id="fields-title" mb="sm">
          How full the fields are
        </Title>
        <DataTable
          label="Fields"
          rows={report.fields}
          keyOf={({ field }) => field}
          empty=""
          columns={[
            { title: 'Field', cell: ({ field }) => field },
            { title: 'Before', cell: ({ shareBefore }) => (shareBefore == null ? '–' : formatShare(shareBefore, 1)), isNumber: true },
            { title: 'Now', cell: ({ share }) => formatShare(share, 1), isNumber: true },
            {
              title: 'Differs in',
              cell: ({ changed }) => (comparison ? formatShare(changed, comparison.examined) : '–'),
              isNumber: true,
            },
            { title: 'Beyond reason', cell: ({ beyondReason }) => formatCount(beyondReason), isNumber: true },
          ]}
        />
        {comparison && (
          <Text size="sm" c="dimmed" mt="xs">
            “Differs in” is of the {formatCount(comparison.examined)} changed records that were looked at. Values beyond reason are below
            zero or in the future, or acres ten times those of the shape.
          </Text>
        )}
      </section>
    </>
  );
}

/** The numbers that an operator must have seen, also in the dialog that publishes. */
export function Differences({ records, report: { comparison, areaShare, areaShareBefore } }: { records: number; report: Report }) {
  return (
    <Paper withBorder p="lg" maw={640}>
      <Facts
        facts={[
          ['Records', comparison ? `${formatCount(comparison.records)} → ${formatCount(records)}` : formatCount(records)],
          ['Area of the county', `${areaShareBefore == null ? '' : `${formatShare(areaShareBefore, 1)} → `}${formatShare(areaShare, 1)}`],
          ...(comparison ? idFacts(comparison) : []),
        ]}
      />
    </Paper>
  );
}

function idFacts({ added, gone, changed, unchanged, examined, moved, jumped, addedNumbers, goneNumbers }: Comparison): [string, string][] {
  const examples = (numbers: string[]) => (numbers.length > 0 ? `, such as ${numbers.join(', ')}` : '');
  return [
    ['Parcels added', formatCount(added) + examples(addedNumbers)],
    ['Parcels gone', formatCount(gone) + examples(goneNumbers)],
    ['Parcels unchanged', formatCount(unchanged)],
    ['Parcels changed', formatCount(changed)],
    ['Of these, lie elsewhere', formatShare(moved, examined)],
    ['Of these, a value ten times or a tenth', formatShare(jumped, examined)],
  ];
}

function ChangedRecords({ comparison }: { comparison: Comparison }) {
  const changes = comparison.changedRecords.flatMap(({ parcelId, apn, fields }) => fields.map((change) => ({ parcelId, apn, ...change })));
  return (
    <section aria-labelledby="changed-title">
      <Title order={2} size="h4" id="changed-title" mb="sm">
        Changed records, for example
      </Title>
      <DataTable
        label="Changed records"
        rows={changes}
        keyOf={({ parcelId, field }) => `${parcelId} ${field}`}
        empty=""
        columns={[
          { title: 'Parcel number', cell: ({ apn, parcelId }) => apn ?? parcelId },
          { title: 'Field', cell: ({ field }) => field },
          { title: 'Before', cell: ({ before }) => before ?? '–', isText: true },
          { title: 'Now', cell: ({ after }) => after ?? '–', isText: true },
        ]}
      />
    </section>
  );
}
