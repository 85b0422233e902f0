import { type RefObject, useRef } from 'react';

/**
 * For what turns the pages of a table from below it: `toRows` leads the eye and the keyboard to the beginning of the rows, where the next
 * page is read on. Without it both would stay at its end.
 */
export function useRowsAbove(): { pagerRef: RefObject<HTMLDivElement | null>; toRows: () => void } {
  const pagerRef = useRef<HTMLDivElement>(null);
  const toRows = () => {
    const table = pagerRef.current?.previousElementSibling;
    table?.scrollIntoView();
    table?.querySelector<HTMLElement>('section')?.focus({ preventScroll: true });
  };
  return { pagerRef, toRows };
}
