import { Button, Group, Pagination, Text } from '@mantine/core';
import { type ReactNode, type RefObject, useRef } from 'react';
import { plural } from '../../format.js';
import { useFilters } from '../../hooks/use-filters.js';

/** The pages of a list. The current one is in the URL (`?page=`). */
export function Pager({ total, pageSize, what, one = what.slice(0, -1) }: { total: number; pageSize: number; what: string; one?: string }) {
  const { page, setFilter } = useFilters();
  const { pagerRef, scrollToTable } = useScrollToTable();
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
            scrollToTable();
          }}
          role="group"
          aria-label={`Pages of ${what}`}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
        />
      )}
    </Group>
  );
}

/**
 * For a pager below a table: `scrollToTable` scrolls and moves the focus to the first row of the new page. Without it both would stay at
 * the end.
 */
function useScrollToTable(): { pagerRef: RefObject<HTMLDivElement | null>; scrollToTable: () => void } {
  const pagerRef = useRef<HTMLDivElement>(null);
  const scrollToTable = () => {
    const table = pagerRef.current?.previousElementSibling;
    table?.scrollIntoView();
    table?.querySelector<HTMLElement>('section')?.focus({ preventScroll: true });
  };
  return { pagerRef, scrollToTable };
}

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
