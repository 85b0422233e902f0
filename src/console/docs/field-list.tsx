import { Code, Text } from '@mantine/core';
import type { Field } from '../../docs/fields.js';
import classes from './docs-page.module.css';
import { RichText } from './rich-text.js';

/** Fields or parameters. @param idPrefix each gets an id: this prefix and its name */
export function FieldList({ label, fields, idPrefix }: { label: string; fields: Field[]; idPrefix?: string }) {
  if (fields.length === 0) return null;
  return (
    <ul className={classes.fields} aria-label={label}>
      {fields.map(({ name, facts, meaning, example }) => (
        <li key={name} {...(idPrefix && { id: idPrefix + name })}>
          <Code fw={700}>{name}</Code>{' '}
          <Text span size="sm" c="dimmed">
            {facts.join(' · ')}
          </Text>
          {meaning && <RichText text={meaning} size="sm" />}
          {example && (
            <Text size="sm" c="dimmed">
              Example: <Code>{example}</Code>
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}
