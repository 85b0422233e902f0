import { ActionIcon, Code, Group, Text, VisuallyHidden } from '@mantine/core';
import { useRef } from 'react';
import { notCopied, useCopy } from '../hooks/use-copy.js';
import { CheckIcon, CopyIcon } from './icons.js';

/** The id of something, shortened but for its ends, which tell ids of one kind apart; hovering shows all of it, the button copies it. */
export const Id = ({ id, what }: { id: string; what: string }) => <Copied text={id} what={`${what} id`} isShortened />;

interface CopiedProps {
  text: string;
  /** What the text is, as in "Copy token id …". */
  what: string;
  isShortened?: boolean;
}

/** A text with the button that copies it. */
export function Copied({ text, what, isShortened = false }: CopiedProps) {
  const shown = useRef<HTMLElement>(null);
  const { copy, isCopied, isRefused } = useCopy(text, shown);
  return (
    <Group component="span" gap={2} wrap="nowrap" display="inline-flex">
      {/* What is to be copied by the keyboard has to be there whole. */}
      <Code title={text} ref={shown}>
        {isShortened && !isRefused ? shortened(text) : text}
      </Code>
      <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={`Copy ${what} ${text}`} title={`Copy ${text}`}>
        {isCopied ? <CheckIcon /> : <CopyIcon />}
      </ActionIcon>
      <VisuallyHidden role="status">{isCopied && 'Copied'}</VisuallyHidden>
      {isRefused && !isCopied && (
        <Text span size="xs" role="alert">
          {notCopied}
        </Text>
      )}
    </Group>
  );
}

const [firstCharacters, lastCharacters] = [8, 4];

const shortened = (id: string): string =>
  id.length <= firstCharacters + lastCharacters + 1 ? id : `${id.slice(0, firstCharacters)}…${id.slice(-lastCharacters)}`;
