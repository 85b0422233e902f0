import { Button, List, Text } from '@mantine/core';
import { formatCount, formatShare } from '../../format/format.js';
import { messageOf } from '../../graphql/client.js';
import {
  type JoinedSideCountsFragment,
  JoinMatchDocument,
  type UploadPreviewQuery,
  type UploadPreviewQueryVariables,
} from '../../graphql/operations.js';
import { useAnswer } from '../../graphql/use-answer.js';
import { DataTable } from '../../ui/tables/data-table.js';

interface JoinPartProps {
  join: NonNullable<UploadPreviewQuery['uploadPreview']['join']>;
  /** The load that is previewed. */
  load: UploadPreviewQueryVariables;
  onChoose: (on: string) => void;
}

/** How the tax roll is joined to the shapes, and which other columns could join them. */
export function JoinPart({ join, load, onChoose }: JoinPartProps) {
  return (
    <section aria-labelledby="join-title">
      <Text fw={600} id="join-title">
        Joined on {join.on}
      </Text>
      <WholeMatch load={load} />
      {join.pairs.some(({ on }) => on !== join.on) && (
        <DataTable
          label="Columns that match"
          rows={join.pairs}
          keyOf={({ on }) => on}
          empty=""
          columns={[
            { title: 'Column of the shapes = column of the roll', cell: ({ on }) => on },
            {
              title: `Match among the first ${formatCount(join.rollRows)} rows`,
              cell: ({ matched }) => formatShare(matched, join.rollRows),
              isNumber: true,
            },
            {
              title: 'Actions',
              cell: ({ on }) =>
                on !== join.on && (
                  <Button variant="default" size="compact-sm" aria-label={`Join on ${on}`} onClick={() => onChoose(on)}>
                    Join on this
                  </Button>
                ),
              isActions: true,
            },
          ]}
        />
      )}
    </section>
  );
}

/** The match over all rows of both files, which the server counts while the operator goes on. */
export function WholeMatch({ load }: { load: UploadPreviewQueryVariables }) {
  // Of the mapping only the parcel number decides how keys are read, so another choice does not read both files again.
  const map = load.options.map?.filter((line) => line.startsWith('apn='));
  const variables = { ...load, options: { ...load.options, map } };
  const { data, error, fetching } = useAnswer(JoinMatchDocument, variables, { requestPolicy: 'cache-first' });
  if (fetching || error || !data?.joinMatch) {
    return (
      <Text size="sm" c="dimmed" my="xs" role="status">
        {error ? `The rows of both files could not be counted: ${messageOf(error)}` : 'Matching all rows of both files…'}
      </Text>
    );
  }
  const { shape, roll, spelling } = data.joinMatch;
  return (
    <List size="sm" my="xs" role="status">
      <List.Item>{describeSide(shape, 'shapes', 'have a row in the tax roll')}</List.Item>
      <List.Item>{describeSide(roll, 'rows of the tax roll', 'have a shape')}</List.Item>
      {spelling.length > 0 && <List.Item>Join key format: {spelling.join(', ')}</List.Item>}
    </List>
  );
}

function describeSide({ rows, unmatched, example }: JoinedSideCountsFragment, what: string, match: string): string {
  const counts = `${formatCount(rows - unmatched)} of ${formatCount(rows)} ${what} ${match} (${formatShare(rows - unmatched, rows)}).`;
  if (unmatched === 0) return counts;
  return `${counts} Those without a match${example === null ? '' : `, such as ${example},`} become records of their own.`;
}
