import { type ReactNode, useRef, useState } from 'react';
import { CodeFrame, CopyButton } from './code.js';
import classes from './json-block.module.css';

interface JsonBlockProps {
  title: string;
  /** Names the block for screen readers. */
  label: string;
  value: unknown;
  /** Long objects and lists deeper than this are folded at first. */
  openDepth?: number;
  /** For long answers: what is folded is not in the document until it is opened. */
  mountsWhenOpened?: boolean;
}

/** JSON that can be copied, in colours. Its objects and lists can be folded. */
export function JsonBlock({ title, label, value, openDepth = Number.POSITIVE_INFINITY, mountsWhenOpened = false }: JsonBlockProps) {
  const shown = useRef<HTMLDivElement>(null);
  return (
    <CodeFrame title={title} tools={<CopyButton text={JSON.stringify(value, null, 2)} shownIn={shown} />}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus, or the keyboard cannot scroll it */}
      <section ref={shown} className={classes.json} tabIndex={0} aria-label={label}>
        <Value value={value} openDepth={openDepth} mountsWhenOpened={mountsWhenOpened} />
      </section>
    </CodeFrame>
  );
}

// A short list, such as a position, is easier to read on one line.
const maxLineLength = 44;
const longLength = 400;

interface ValueProps {
  value: unknown;
  name?: string;
  isLast?: boolean;
  openDepth: number;
  mountsWhenOpened: boolean;
}

function Value({ value, name, isLast = true, openDepth, mountsWhenOpened }: ValueProps) {
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
  const isOpenAtFirst = openDepth > 0 || line.length < longLength;
  return (
    <Fold
      isOpenAtFirst={isOpenAtFirst}
      mountsWhenOpened={mountsWhenOpened}
      summary={
        <>
          {key}
          {open}
          <span className={classes.folded}>
            {' '}
            … {close}
            {comma}
          </span>
        </>
      }
    >
      {() => (
        <>
          <div className={classes.inner}>
            {entries.map(([inner, each], index) => (
              <Value
                key={inner}
                value={each}
                {...(!isList && { name: inner })}
                isLast={index === entries.length - 1}
                openDepth={openDepth - 1}
                mountsWhenOpened={mountsWhenOpened}
              />
            ))}
          </div>
          {close}
          {comma}
        </>
      )}
    </Fold>
  );
}

interface FoldProps {
  isOpenAtFirst: boolean;
  mountsWhenOpened: boolean;
  summary: ReactNode;
  children: () => ReactNode;
}

function Fold({ isOpenAtFirst, mountsWhenOpened, summary, children }: FoldProps) {
  const [isMounted, setMounted] = useState(isOpenAtFirst || !mountsWhenOpened);
  return (
    <details open={isOpenAtFirst} {...(!isMounted && { onToggle: () => setMounted(true) })}>
      <summary>{summary}</summary>
      {isMounted && children()}
    </details>
  );
}
