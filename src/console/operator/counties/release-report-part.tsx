import { Text } from '@mantine/core';
import { formatArea, formatCount, formatShare } from '../../format.js';
import type { ReleaseDetailsQuery } from '../../graphql/operations.js';
import { Items, Section } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';

export type ReleaseDetails = ReleaseDetailsQuery['countyRelease'];
type Report = NonNullable<ReleaseDetails['report']>;
type Comparison = NonNullable<Report['comparison']>;

/** The report of a release: examples of what differs from the release before, and the fill rate of each field. */
export function ReleaseReportPart({ report }: { report: Report }) {
  const { comparison } = report;
  const isEmpty = ({ share, shareBefore }: Report['fields'][number]) => share === 0 && !shareBefore;
  const empty = report.fields.filter(isEmpty).map(({ field }) => field);
  return (
    <>
      {comparison && comparison.changedRecords.length > 0 && <ChangedRecords comparison={comparison} />}
      {report.notes.length > 0 && (
        <Section title="Load notes">
          <Items size="sm" of={report.notes} />
        </Section>
      )}
      {report.mapping.length > 0 && (
        <Section title="Columns">
          <DataTable
            label="Columns of the file"
            rows={report.mapping}
            keyOf={({ field }) => field}
            columns={[
              { title: 'Field', cell: ({ field }) => field },
              { title: 'From', cell: ({ columns, unit }) => `${columns.join(' + ')}${unit ? ` (${unit})` : ''}` },
              { title: 'Reason', cell: ({ why }) => why, isText: true },
              { title: 'Confidence', cell: ({ sureness }) => sureness },
            ]}
          />
          {report.unused.length > 0 && (
            <Text mt="xs" style={{ overflowWrap: 'anywhere' }}>
              Not used: {report.unused.join(', ')}
            </Text>
          )}
        </Section>
      )}
      <Section title="Fill rates">
        <DataTable
          label="Fields"
          rows={report.fields.filter((field) => !isEmpty(field))}
          keyOf={({ field }) => field}
          columns={[
            { title: 'Field', cell: ({ field }) => field },
            { title: 'Before', cell: ({ shareBefore }) => (shareBefore == null ? '–' : formatShare(shareBefore, 1)), isNumber: true },
            { title: 'Now', cell: ({ share }) => formatShare(share, 1), isNumber: true },
            {
              title: 'Changed',
              cell: ({ changed }) => (comparison ? formatShare(changed, comparison.examined) : '–'),
              isNumber: true,
            },
            { title: 'Outliers', cell: ({ beyondReason }) => formatCount(beyondReason), isNumber: true },
          ]}
        />
        {empty.length > 0 && <Text mt="xs">Empty in all records: {empty.join(', ')}</Text>}
        {comparison && (
          <Text size="sm" c="dimmed" mt="xs">
            “Changed” is the share of the {formatCount(comparison.examined)} changed records that were examined. Outliers are negative
            values, future dates, and acres ten times those of the shape.
          </Text>
        )}
      </Section>
    </>
  );
}

/** The numbers to check before publishing. */
export const differences = (records: number, { comparison, areaShare, areaShareBefore }: Report): [string, string][] => [
  ['Compared with', comparison ? `release ${comparison.releaseId}` : 'nothing: it is the first release'],
  ['Records', comparison ? `${formatCount(comparison.records)} → ${formatCount(records)}` : formatCount(records)],
  ['County area covered', `${areaShareBefore == null ? '' : `${formatArea(areaShareBefore)} → `}${formatArea(areaShare)}`],
  ...(comparison ? idFacts(comparison) : []),
];

function idFacts(comparison: Comparison): [string, string][] {
  const { added, gone, sameNumbers, changed, unchanged, examined, moved, jumped, addedNumbers, goneNumbers } = comparison;
  const examples = (numbers: string[]) => (numbers.length > 0 ? `, such as ${numbers.join(', ')}` : '');
  return [
    ['Parcels added', formatCount(added - (sameNumbers ?? 0)) + examples(addedNumbers)],
    ['Parcels removed', formatCount(gone - (sameNumbers ?? 0)) + examples(goneNumbers)],
    ...(sameNumbers
      ? [['Same number, new id', `${formatCount(sameNumbers)}: a part’s name is in the ids`] satisfies [string, string]]
      : []),
    ['Parcels unchanged', formatCount(unchanged)],
    ['Parcels changed', formatCount(changed)],
    ['Of these, moved', formatShare(moved, examined)],
    ['Of these, a value changed tenfold', formatShare(jumped, examined)],
  ];
}

function ChangedRecords({ comparison }: { comparison: Comparison }) {
  const changes = comparison.changedRecords.flatMap(({ parcelId, apn, fields }) => fields.map((change) => ({ parcelId, apn, ...change })));
  return (
    <Section title="Examples of changed records">
      <DataTable
        label="Changed records"
        rows={changes}
        keyOf={({ parcelId, field }) => `${parcelId} ${field}`}
        columns={[
          { title: 'Parcel number', cell: ({ apn, parcelId }) => apn ?? parcelId },
          { title: 'Field', cell: ({ field }) => field },
          { title: 'Before', cell: ({ before }) => before ?? '–', isText: true },
          { title: 'Now', cell: ({ after }) => after ?? '–', isText: true },
        ]}
      />
    </Section>
  );
}
