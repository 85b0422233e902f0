import { Button } from '@mantine/core';
import type { RefObject } from 'react';
import { notCopied, useCopy } from '../hooks/use-copy.js';

/** Copies the text that is shown in an element. Its label then changes to say so, which screen readers read out. */
export function CopyButton({ text, shownIn }: { text: string; shownIn: RefObject<HTMLElement | null> }) {
  const { copy, isCopied, isRefused } = useCopy(text, shownIn);
  return (
    <Button variant="default" size="compact-sm" miw={isRefused ? 'max-content' : 72} onClick={copy} aria-live="polite">
      {isCopied ? 'Copied' : isRefused ? notCopied : 'Copy'}
    </Button>
  );
}
