import { Skeleton, Table } from '@mantine/core';

/** Rows in the shape of what is coming. */
export function SkeletonRows({ rows, columns }: { rows: number; columns: number }) {
  return Array.from({ length: rows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are all alike
    <Table.Tr key={row} aria-hidden="true">
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are all alike
        <Table.Td key={column}>
          <Skeleton height={12} my={4} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}
