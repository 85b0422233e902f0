import { Button, CopyButton as MantineCopyButton } from '@mantine/core';

/** Copies the text. Its label then changes to say so, which screen readers read out. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  return (
    <MantineCopyButton value={text}>
      {({ copied, copy }) => (
        <Button variant="default" size="compact-sm" miw={72} onClick={copy} aria-live="polite">
          {copied ? 'Copied' : label}
        </Button>
      )}
    </MantineCopyButton>
  );
}
