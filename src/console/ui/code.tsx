import '@mantine/core/styles/Tabs.css';
import { Button, Code, Group, Paper, Tabs, Text } from '@mantine/core';
import { useClipboard, useLocalStorage } from '@mantine/hooks';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
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
  const shown = useRef<HTMLPreElement>(null);
  return (
    <Tabs variant="pills" value={language} onChange={(chosen) => choose(chosen as Language)}>
      <CodeFrame
        title={title}
        wraps
        tools={
          <Group gap="xs" wrap="nowrap">
            <Tabs.List aria-label={`${title} in`} style={{ flexWrap: 'nowrap' }}>
              {choices.map((each) => (
                <Tabs.Tab key={each} value={each} px={9} py={6}>
                  {names[each]}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <CopyButton key={language} text={code} shownIn={shown} />
          </Group>
        }
      >
        <Tabs.Panel value={language}>
          {/* A scrollable block must be focusable for keyboard users. */}
          <Code block ref={shown} className={classes.code} tabIndex={0}>
            {code}
          </Code>
        </Tabs.Panel>
        {answer !== undefined && (
          <Code block className={`${classes.code} ${classes.answer}`} tabIndex={0} role="region" aria-label={`${title}: the answer`}>
            {here(answer)}
          </Code>
        )}
      </CodeFrame>
    </Tabs>
  );
}
