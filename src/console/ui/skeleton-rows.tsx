import { Skeleton } from '@mantine/core';

/** Placeholder rows of a table that is loading. */
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
