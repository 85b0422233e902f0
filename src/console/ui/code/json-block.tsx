import { Group, Paper, Text } from '@mantine/core';
import { useRef } from 'react';
import codeClasses from './code-block.module.css';
import { CopyButton } from './copy-button.js';
import classes from './json-block.module.css';

/** JSON that can be copied, in colours. Its objects and lists can be folded. */
export function JsonBlock({ title, label, value }: { title: string; label: string; value: unknown }) {
  const shown = useRef<HTMLDivElement>(null);
  return (
    <Paper withBorder className={codeClasses.frame}>
      <Group justify="space-between" px="sm" py={6} wrap="nowrap" className={codeClasses.head}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <CopyButton text={JSON.stringify(value, null, 2)} shownIn={shown} />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus, or the keyboard cannot scroll it */}
      <section ref={shown} className={classes.json} tabIndex={0} aria-label={label}>
        <Value value={value} />
      </section>
    </Paper>
  );
}

// A short list, such as a position, is easier to read on one line.
const maxLineLength = 44;

function Value({ value, name, isLast = true }: { value: unknown; name?: string; isLast?: boolean }) {
  const key = name !== undefined && (
    <>
      <span className={classes.key}>{JSON.stringify(name)}</span>:{' '}
    </>
  );
  const comma = isLast ? '' : ',';
  if (typeof value !== 'object' || value === null) {
    return (
      <div>
        {key}
        <span className={typeof value === 'string' ? classes.string : classes.literal}>{JSON.stringify(value)}</span>
        {comma}
      </div>
    );
  }
  const isList = Array.isArray(value);
  const line = JSON.stringify(value);
  if (line === '{}' || (isList && line.length < maxLineLength && !line.includes('{'))) {
    return (
      <div>
        {key}
        <span className={classes.literal}>{line}</span>
        {comma}
      </div>
    );
  }
  const entries = Object.entries(value);
  const [open, close] = isList ? '[]' : '{}';
  return (
    <details open>
      <summary>
        {key}
        {open}
        <span className={classes.folded}>
          {' '}
          … {close}
          {comma}
        </span>
      </summary>
      <div className={classes.inner}>
        {entries.map(([inner, each], index) => (
          <Value key={inner} value={each} {...(!isList && { name: inner })} isLast={index === entries.length - 1} />
        ))}
      </div>
      {close}
      {comma}
    </details>
  );
}
