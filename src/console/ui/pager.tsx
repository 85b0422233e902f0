import { Group, Pagination, Text } from '@mantine/core';
import { plural } from '../format/format.js';
import { useFilters } from '../hooks/use-filters.js';
import { useRowsAbove } from '../hooks/use-rows-above.js';

/** Pages of a list, in the address (`?page=`). */
export function Pager({ total, pageSize, what, one = what.slice(0, -1) }: { total: number; pageSize: number; what: string; one?: string }) {
  const { page, setFilter } = useFilters();
  const { pagerRef, toRows } = useRowsAbove();
  const pages = Math.max(1, Math.ceil(total / pageSize));
  return (
    <Group ref={pagerRef} justify="space-between" mt="sm" mih={36}>
      <Text size="sm" c="dimmed" role="status">
        {total === 0 ? `No ${what}` : plural(total, one, what)}
      </Text>
      {pages > 1 && (
        <Pagination
          total={pages}
          value={Math.min(page, pages)}
          onChange={(chosen) => {
            setFilter('page', chosen === 1 ? null : String(chosen));
            toRows();
          }}
          aria-label={`Pages of ${what}`}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
        />
      )}
    </Group>
  );
}
