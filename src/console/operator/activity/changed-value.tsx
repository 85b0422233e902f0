import { Code } from '@mantine/core';
import { Timestamp } from '../../ui/timestamp.js';
import { inWords } from './changed-facts.js';

/** A value of the audit log: readable at a glance, with what is nested behind a click. */
export function ChangedValue({ value }: { value: unknown }) {
  if (value === null || value === '') return 'nothing';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return <Timestamp at={value} />;
  if (typeof value !== 'object') return String(value);
  return (
    <details>
      <summary>{namesIn(value) || 'nothing'}</summary>
      <Code block style={{ whiteSpace: 'pre-wrap' }}>
        {JSON.stringify(value, (_name, inner) => inner ?? undefined, 2)}
      </Code>
    </details>
  );
}

/** What is said in an object, by name; how many things are in a list. */
function namesIn(value: object): string {
  if (Array.isArray(value)) return `${value.length} in a list`;
  return Object.keys(value)
    .filter((name) => value[name as keyof typeof value] !== null)
    .map(inWords)
    .join(', ');
}
