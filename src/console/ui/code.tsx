import { Button, Code, Group, Paper, Text } from '@mantine/core';
import { useClipboard, useLocalStorage } from '@mantine/hooks';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef } from 'react';
import { type Language, languages } from '../../docs/programs.js';
import { here } from '../site.js';
import classes from './code.module.css';

interface CodeFrameProps {
  title: string;
  /** At the right of the title. */
  tools: ReactNode;
  /** Whether the tools may go below the title on a narrow screen. */
  wraps?: boolean;
  children: ReactNode;
}

/** The border and the title of a block of code. */
export function CodeFrame({ title, tools, wraps = false, children }: CodeFrameProps) {
  return (
    <Paper withBorder miw={0} style={{ overflow: 'hidden' }}>
      <Group justify="space-between" px="sm" py={6} gap="xs" wrap={wraps ? 'wrap' : 'nowrap'} className={classes.head}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        {tools}
      </Group>
      {children}
    </Paper>
  );
}

/** A command or an answer that can be copied. Long lines wrap; long texts scroll inside the block. */
export function CodeBlock({ title, label = title, code }: { title: string; label?: string; code: string }) {
  const shown = useRef<HTMLPreElement>(null);
  return (
    <CodeFrame title={title} tools={<CopyButton text={code} shownIn={shown} />}>
      {/* A scrollable block must be focusable for keyboard users. */}
      <Code block ref={shown} className={classes.code} tabIndex={0} role="region" aria-label={label}>
        {code}
      </Code>
    </CodeFrame>
  );
}

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

const names: Record<Language, string> = { curl: 'curl', javascript: 'JavaScript', python: 'Python' };

interface CodeTabsProps {
  title: string;
  /** In one language, or in several to choose from. `$BASE_URL` stands for this service's. */
  codes: Partial<Record<Language, string>>;
  /** The output of each. */
  answer?: string;
}

/** The same request in several languages. The chosen language applies to all examples and is remembered. */
export function CodeTabs({ title, codes, answer }: CodeTabsProps) {
  const [preferred, choose] = useLocalStorage<Language>({ key: 'example-language', defaultValue: languages[0]! });
  const choices = languages.filter((each) => codes[each] !== undefined);
  const language = choices.includes(preferred) ? preferred : choices[0]!;
  const code = here(codes[language]!);
  const id = useId();
  const shown = useRef<HTMLPreElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = choices[(choices.indexOf(language) + step + choices.length) % choices.length]!;
    choose(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <CodeFrame
      title={title}
      wraps
      tools={
        <Group gap="xs" wrap="nowrap">
          <Group role="tablist" aria-label={`${title} in`} gap={0} wrap="nowrap">
            {choices.map((each) => (
              <button
                key={each}
                id={`${id}-${each}`}
                type="button"
                role="tab"
                aria-selected={each === language}
                aria-controls={`${id}-code`}
                tabIndex={each === language ? 0 : -1}
                className={classes.tab}
                onClick={() => choose(each)}
                onKeyDown={onKeyDown}
              >
                {names[each]}
              </button>
            ))}
          </Group>
          <CopyButton key={language} text={code} shownIn={shown} />
        </Group>
      }
    >
      {/* A scrollable block must be focusable for keyboard users. */}
      <Code block ref={shown} id={`${id}-code`} className={classes.code} tabIndex={0} role="tabpanel" aria-labelledby={`${id}-${language}`}>
        {code}
      </Code>
      {answer !== undefined && (
        <Code block className={`${classes.code} ${classes.answer}`} tabIndex={0} role="region" aria-label={`${title}: the answer`}>
          {here(answer)}
        </Code>
      )}
    </CodeFrame>
  );
}
