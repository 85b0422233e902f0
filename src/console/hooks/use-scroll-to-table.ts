import { type RefObject, useRef } from 'react';

/**
 * For a pager below a table: `scrollToTable` scrolls and moves the focus to the first row of the new page. Without it both would stay at
 * the end.
 */
export function useScrollToTable(): { pagerRef: RefObject<HTMLDivElement | null>; scrollToTable: () => void } {
  const pagerRef = useRef<HTMLDivElement>(null);
  const scrollToTable = () => {
    const table = pagerRef.current?.previousElementSibling;
    table?.scrollIntoView();
    table?.querySelector<HTMLElement>('section')?.focus({ preventScroll: true });
  };
  return { pagerRef, scrollToTable };
}
