import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFilters } from '../../hooks/use-filters.js';
import { useScrollToTable } from './pager.js';

interface CursorPagerProps {
  /** The name of the cursor in the URL. */
  name: string;
  firstLabel: string;
  /** The cursor of the next page; null on the last one. */
  next: string | null;
  nextLabel: string;
  /** How much there is. */
  children?: ReactNode;
}

/** Pages after an entry rather than at an offset, so that new entries do not shift the pages. */
export function CursorPager({ name, firstLabel, next, nextLabel, children }: CursorPagerProps) {
  const { get, setFilter } = useFilters();
  const { pagerRef, scrollToTable } = useScrollToTable();
  const turnTo = (cursor: string | null) => {
    setFilter(name, cursor);
    scrollToTable();
  };
  return (
    <Group ref={pagerRef} justify="space-between" mt="sm" mih={36}>
      <Text size="sm" c="dimmed" role="status">
        {children}
      </Text>
      <Group gap="xs">
        {get(name) && (
          <Button variant="default" size="compact-md" onClick={() => turnTo(null)}>
            {firstLabel}
          </Button>
        )}
        {next && (
          <Button variant="default" size="compact-md" onClick={() => turnTo(next)}>
            {nextLabel}
          </Button>
        )}
      </Group>
    </Group>
  );
}
