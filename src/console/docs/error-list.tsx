import { Code, Text } from '@mantine/core';
import { errorsOf, type OpenApi } from '../../docs/openapi.js';
import classes from './docs-page.module.css';
import { RichText } from './rich-text.js';

/** Every error with its cure. */
export function ErrorList({ contract }: { contract: OpenApi }) {
  return (
    <ul className={classes.fields} aria-label="All errors">
      {errorsOf(contract).map(({ code, status, meaning, cure }) => (
        <li key={code} id={`error-${code}`}>
          <Code fw={700}>{code}</Code>{' '}
          <Text span size="sm" c="dimmed">
            {status}
          </Text>
          <RichText text={`${meaning} ${cure}`} size="sm" />
        </li>
      ))}
    </ul>
  );
}
