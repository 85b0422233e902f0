import { ActionIcon, Code, Group, Text, VisuallyHidden } from '@mantine/core';
import { useRef } from 'react';
import { shortId } from '../format.js';
import { copyFailedText, useCopy } from './code.js';
import { CheckIcon, CopyIcon } from './icons.js';

/** An id, shortened to its end. Hovering shows all of it, and the button copies it. */
export const Id = ({ id, what }: { id: string; what: string }) => <CopyableText text={id} what={`${what} id`} isShortened />;

interface CopyableTextProps {
  text: string;
  /** Names the text, as in "Copy token id …". */
  what: string;
  isShortened?: boolean;
}

/** A text with a button that copies it. */
export function CopyableText({ text, what, isShortened = false }: CopyableTextProps) {
  const shown = useRef<HTMLElement>(null);
  const { copy, isCopied, isRefused } = useCopy(text, shown);
  return (
    <Group component="span" gap={2} wrap="nowrap" display="inline-flex">
      {/* If the user has to press Ctrl+C, the whole text must be there. */}
      <Code title={text} ref={shown}>
        {isShortened && !isRefused ? shortId(text) : text}
      </Code>
      <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={`Copy ${what} ${text}`} title={`Copy ${text}`}>
        {isCopied ? <CheckIcon /> : <CopyIcon />}
      </ActionIcon>
      <VisuallyHidden role="status">{isCopied && 'Copied'}</VisuallyHidden>
      {isRefused && !isCopied && (
        <Text span size="xs" role="alert">
          {copyFailedText}
        </Text>
      )}
    </Group>
  );
}
