import { Button, Group, Text } from '@mantine/core';
import { formatCount, plural } from '../format/format.js';
import { useFilters } from '../hooks/use-filters.js';
import { useRowsAbove } from '../hooks/use-rows-above.js';

const counted = 50_000;

interface LedgerPagerProps {
  /** Null: too many to count. */
  total: number | null;
  /** The entry before which older ones are. */
  older: string | null;
  isFull: boolean;
}

/** Goes on to older entries. A page begins behind an entry, not at a number, so new entries push nothing from one page to the next. */
export function LedgerPager({ total, older, isFull }: LedgerPagerProps) {
  const { get, setFilter } = useFilters();
  const { pagerRef, toRows } = useRowsAbove();
  const turnTo = (before: string | null) => {
    setFilter('before', before);
    toRows();
  };
  return (
    <Group ref={pagerRef} justify="space-between" mt="sm" mih={36}>
      <Text size="sm" c="dimmed" role="status">
        {total === 0 && 'No entries'}
        {total === null && (isFull ? `More than ${formatCount(counted)} entries` : `${formatCount(counted)} entries were looked at`)}
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
            {isFull ? 'Older' : 'Look further back'}
          </Button>
        )}
      </Group>
    </Group>
  );
}
