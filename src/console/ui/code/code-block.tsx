import { Code, Group, Paper, Text } from '@mantine/core';
import { useRef } from 'react';
import classes from './code-block.module.css';
import { CopyButton } from './copy-button.js';

/** A command or an answer that can be copied. Long lines wrap; long texts scroll inside the block. */
export function CodeBlock({ title, label = title, code }: { title: string; label?: string; code: string }) {
  const shown = useRef<HTMLPreElement>(null);
  return (
    <Paper withBorder className={classes.frame}>
      <Group justify="space-between" px="sm" py={6} wrap="nowrap" className={classes.head}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <CopyButton text={code} shownIn={shown} />
      </Group>
      {/* A scrollable block must be focusable for keyboard users. */}
      <Code block ref={shown} className={classes.code} tabIndex={0} role="region" aria-label={label}>
        {code}
      </Code>
    </Paper>
  );
}
