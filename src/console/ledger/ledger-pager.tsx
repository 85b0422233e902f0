import { Button, Group, Text } from '@mantine/core';
import { formatCount, plural } from '../format/format.js';
import { useFilters } from '../hooks/use-filters.js';
import { useScrollToTable } from '../ui/tables/pager.js';

const countLimit = 50_000;

interface LedgerPagerProps {
  /** Null if there are too many to count. */
  total: number | null;
  /** The cursor of the next older page. */
  older: string | null;
  isFull: boolean;
}

/** Pages through older entries. A page starts after an entry rather than at an offset, so new entries do not shift the pages. */
export function LedgerPager({ total, older, isFull }: LedgerPagerProps) {
  const { get, setFilter } = useFilters();
  const { pagerRef, scrollToTable } = useScrollToTable();
  const turnTo = (before: string | null) => {
    setFilter('before', before);
    scrollToTable();
  };
  return (
    <Group ref={pagerRef} justify="space-between" mt="sm" mih={36}>
      <Text size="sm" c="dimmed" role="status">
        {total === 0 && 'No entries'}
        {total === null && (isFull ? `More than ${formatCount(countLimit)} entries` : `${formatCount(countLimit)} entries searched`)}
        {total !== null && total > 0 && plural(total, 'entry', 'entries')}
      </Text>
      <Group gap="xs">
        {get('before') && (
          <Button variant="default" size="compact-md" onClick={() => turnTo(null)}>
            Newest
          </Button>
        )}
        {older && (
          <Button variant="default" size="compact-md" onClick={() => turnTo(older)}>
            {isFull ? 'Older' : 'Search older entries'}
          </Button>
        )}
      </Group>
    </Group>
  );
}
