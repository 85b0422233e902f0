import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { type RefObject, useEffect } from 'react';

/** Shown when the browser refuses to copy, as it always does on an unencrypted connection. */
export const copyFailedText = 'Not copied: press Ctrl+C';

/** Copies a text. If the browser refuses, the element that shows the text is selected, ready for Ctrl+C. */
export function useCopy(text: string, shownIn: RefObject<HTMLElement | null>) {
  const { copy, copied, error } = useClipboard();
  useEffect(() => {
    if (error && shownIn.current) window.getSelection()?.selectAllChildren(shownIn.current);
  }, [error, shownIn]);
  return { copy: () => copy(text), isCopied: copied, isRefused: error !== null };
}

/** Copies the text that an element shows. The label then changes, which screen readers announce. */
export function CopyButton({ text, shownIn }: { text: string; shownIn: RefObject<HTMLElement | null> }) {
  const { copy, isCopied, isRefused } = useCopy(text, shownIn);
  return (
    <Button variant="default" size="compact-sm" miw={isRefused ? 'max-content' : 72} onClick={copy} aria-live="polite">
      {isCopied ? 'Copied' : isRefused ? copyFailedText : 'Copy'}
    </Button>
  );
}
