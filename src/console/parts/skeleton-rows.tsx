import { Skeleton } from '@mantine/core';

/** Rows in the shape of what is coming. */
export function SkeletonRows({ rows, columns }: { rows: number; columns: number }) {
  return Array.from({ length: rows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are all alike
    <tr key={row}>
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are all alike
        <td key={column}>
          <Skeleton height={12} my={4} />
        </td>
      ))}
    </tr>
  ));
}
