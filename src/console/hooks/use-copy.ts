import { useClipboard } from '@mantine/hooks';
import { type RefObject, useEffect } from 'react';

/** Said where the browser does not let us copy: it may refuse a page, and does so where the connection is not encrypted. */
export const notCopied = 'Not copied: press Ctrl+C';

/** Copies a text. Where the browser refuses, the element that shows it is selected, so that the keyboard copies it. */
export function useCopy(text: string, shownIn: RefObject<HTMLElement | null>) {
  const { copy, copied, error } = useClipboard();
  useEffect(() => {
    if (error && shownIn.current) window.getSelection()?.selectAllChildren(shownIn.current);
  }, [error, shownIn]);
  return { copy: () => copy(text), isCopied: copied, isRefused: error !== null };
}
