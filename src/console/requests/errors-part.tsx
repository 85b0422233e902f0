import { Code, Text } from '@mantine/core';
import { inlineParts } from '../docs/rich-text.js';
import { plural } from '../format/format.js';
import type { OutcomeRowFragment } from '../graphql/operations.js';
import { TextLink } from '../ui/links.js';
import classes from './errors-part.module.css';

interface ErrorsPartProps {
  outcomes: OutcomeRowFragment[];
  /** The list of the calls that were refused for this reason. */
  callsPath: (code: string) => string;
}

/** Why calls were refused, the most frequent reason first, each with what to do about it. Nothing if none was refused. */
export function ErrorsPart({ outcomes, callsPath }: ErrorsPartProps) {
  const errors = errorsIn(outcomes);
  return (
    errors.length > 0 && (
      <ul className={classes.errors} aria-label="Errors and what to do about them">
        {errors.map(({ code, calls, meaning, cure }) => (
          <li key={code}>
            <Code fw={700}>{code}</Code>{' '}
            <TextLink href={callsPath(code)} fz="sm">
              {plural(calls, 'request')}
            </TextLink>
            <Text size="sm" maw="72ch">
              {inlineParts(`${meaning} ${cure}`)}
            </Text>
          </li>
        ))}
      </ul>
    )
  );
}

function errorsIn(outcomes: OutcomeRowFragment[]) {
  const byCode = new Map<string, { code: string; calls: number; meaning: string; cure: string }>();
  for (const { error, calls } of outcomes) {
    if (!error) continue;
    const known = byCode.get(error.code);
    byCode.set(error.code, { ...error, calls: calls + (known?.calls ?? 0) });
  }
  return [...byCode.values()].sort((one, other) => other.calls - one.calls);
}
