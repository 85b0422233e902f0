import { Button, Text } from '@mantine/core';
import { formatCount, formatShare } from '../../format/format.js';
import type { UploadPreviewQuery } from '../../graphql/operations.js';
import { DataTable } from '../../ui/tables/data-table.js';

type Join = NonNullable<UploadPreviewQuery['uploadPreview']['join']>;

/** How the tax roll is joined to the shapes, and which other columns could join them. */
export function JoinPart({ join, onChoose }: { join: Join; onChoose: (on: string) => void }) {
  return (
    <section aria-labelledby="join-title">
      <Text fw={600} id="join-title">
        Joined on {join.on}: {formatShare(join.matched, join.rollRows)} of {formatCount(join.rollRows)} compared rows of the roll match a
        shape
      </Text>
      <Text size="sm" c="dimmed" mb="xs">
        Of files that are surely joined by their first rows, only these are compared: fewer match than in the whole files if they are sorted
        differently.
      </Text>
      <DataTable
        label="Columns that match"
        rows={join.pairs}
        keyOf={({ on }) => on}
        empty="No columns of the two files share values."
        columns={[
          { title: 'Column of the shapes = column of the roll', cell: ({ on }) => on },
          { title: 'Matching rows', cell: ({ matched }) => formatShare(matched, join.rollRows), isNumber: true },
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
    </section>
  );
}
