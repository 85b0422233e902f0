import { Button } from '@mantine/core';
import type { RefObject } from 'react';
import { copyFailedText, useCopy } from '../hooks/use-copy.js';

/** Copies the text that an element shows. The label then changes, which screen readers announce. */
export function CopyButton({ text, shownIn }: { text: string; shownIn: RefObject<HTMLElement | null> }) {
  const { copy, isCopied, isRefused } = useCopy(text, shownIn);
  return (
    <Button variant="default" size="compact-sm" miw={isRefused ? 'max-content' : 72} onClick={copy} aria-live="polite">
      {isCopied ? 'Copied' : isRefused ? copyFailedText : 'Copy'}
    </Button>
  );
}
