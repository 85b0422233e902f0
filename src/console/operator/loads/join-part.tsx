import { Button, Text } from '@mantine/core';
import { formatCount, formatShare } from '../../format/format.js';
import type { UploadPreviewQuery } from '../../graphql/operations.js';
import { DataTable } from '../../ui/data-table.js';

type Join = NonNullable<UploadPreviewQuery['uploadPreview']['join']>;

/** How the tax roll is tied to the shapes, and by which other columns it could be. */
export function JoinPart({ join, onChoose }: { join: Join; onChoose: (on: string) => void }) {
  return (
    <section aria-labelledby="join-title">
      <Text fw={600} id="join-title">
        Joined on {join.on}: {formatShare(join.matched, join.rollRows)} of the first {formatCount(join.rollRows)} rows of the roll meet one
        of the first shapes
      </Text>
      <Text size="sm" c="dimmed" mb="xs">
        Files in different orders meet less often in their first rows than as a whole.
      </Text>
      <DataTable
        label="Columns that both files have"
        rows={join.pairs}
        keyOf={({ on }) => on}
        empty="No column of the one has values of a column of the other in the first rows."
        columns={[
          { title: 'Column of the shapes = of the roll', cell: ({ on }) => on },
          { title: 'Rows that meet', cell: ({ matched }) => formatShare(matched, join.rollRows), isNumber: true },
          {
            title: 'Actions',
            cell: ({ on }) =>
              on !== join.on && (
                <Button variant="default" size="compact-sm" aria-label={`Join on ${on}`} onClick={() => onChoose(on)}>
                  Join on it
                </Button>
              ),
            isActions: true,
          },
        ]}
      />
    </section>
  );
}
