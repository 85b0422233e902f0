import { ActionIcon, Code, Group, CopyButton as MantineCopyButton, VisuallyHidden } from '@mantine/core';
import { CheckIcon, CopyIcon } from './icons.js';

/** An id, shortened but for its ends, which tell ids of one kind apart; hovering shows all of it, the button copies it. */
export function Id({ id, what }: { id: string; what: string }) {
  return (
    <Group gap={2} wrap="nowrap" display="inline-flex">
      <Code title={id}>{shortened(id)}</Code>
      <CopyId id={id} what={what} />
    </Group>
  );
}

/** Copies an id that stands beside it. */
export function CopyId({ id, what }: { id: string; what: string }) {
  return (
    <MantineCopyButton value={id}>
      {({ copied, copy }) => (
        <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={`Copy ${what} ${id}`} title={`Copy ${id}`}>
          {copied ? <CheckIcon /> : <CopyIcon />}
          <VisuallyHidden role="status">{copied ? 'Copied' : ''}</VisuallyHidden>
        </ActionIcon>
      )}
    </MantineCopyButton>
  );
}

const [firstCharacters, lastCharacters] = [8, 4];

const shortened = (id: string): string =>
  id.length <= firstCharacters + lastCharacters + 1 ? id : `${id.slice(0, firstCharacters)}…${id.slice(-lastCharacters)}`;
