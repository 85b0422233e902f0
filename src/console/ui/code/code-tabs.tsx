import { Code, Group, Paper, Text } from '@mantine/core';
import { type KeyboardEvent, useId, useRef } from 'react';
import { type Language, languages } from '../../../docs/programs.js';
import { useLanguage } from '../../hooks/use-language.js';
import codeClasses from './code-block.module.css';
import classes from './code-tabs.module.css';
import { CopyButton } from './copy-button.js';

const names: Record<Language, string> = { curl: 'curl', javascript: 'JavaScript', python: 'Python' };

interface CodeTabsProps {
  title: string;
  /** In one language, or in several to choose from. */
  codes: Partial<Record<Language, string>>;
  /** The output of each. */
  answer?: string;
}

/** The same request in several languages. The chosen language applies to all examples and is remembered. */
export function CodeTabs({ title, codes, answer }: CodeTabsProps) {
  const [preferred, choose] = useLanguage();
  const choices = languages.filter((each) => codes[each] !== undefined);
  const language = choices.includes(preferred) ? preferred : choices[0]!;
  const code = codes[language]!;
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
    <Paper withBorder className={codeClasses.frame}>
      <Group justify="space-between" px="sm" py={6} gap="xs" className={codeClasses.head}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Group gap="xs" wrap="nowrap">
          <div role="tablist" aria-label={`${title} in`} className={classes.tabs}>
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
          </div>
          <CopyButton key={language} text={code} shownIn={shown} />
        </Group>
      </Group>
      {/* A scrollable block must be focusable for keyboard users. */}
      <Code
        block
        ref={shown}
        id={`${id}-code`}
        className={codeClasses.code}
        tabIndex={0}
        role="tabpanel"
        aria-labelledby={`${id}-${language}`}
      >
        {code}
      </Code>
      {answer !== undefined && (
        <Code block className={`${codeClasses.code} ${classes.answer}`} tabIndex={0} role="region" aria-label={`${title}: the answer`}>
          {answer}
        </Code>
      )}
    </Paper>
  );
}
