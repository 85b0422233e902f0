import { Anchor, Stack, Text } from '@mantine/core';
import classes from './docs-page.module.css';
import { guides } from './guides.js';
import { type OpenApi, referenceEntries } from './openapi.js';

/** The table of contents, shown on wide screens. */
export function Contents({ document }: { document: OpenApi | undefined }) {
  return (
    <nav className={classes.contents} aria-label="Contents">
      <Text fw={600} size="sm" mb={6}>
        Guides
      </Text>
      <Stack gap={6} mb="lg">
        {guides.map(({ id, title }) => (
          <Anchor key={id} href={`#${id}`} size="sm">
            {title}
          </Anchor>
        ))}
        <Anchor href="#record" size="sm">
          A record
        </Anchor>
      </Stack>
      <Text fw={600} size="sm" mb={6}>
        Reference
      </Text>
      <Stack gap={6}>
        {document &&
          referenceEntries(document).map(({ id, method, path }) => (
            <Anchor key={id} href={`#${id}`} size="sm" style={{ overflowWrap: 'anywhere' }}>
              {method.toUpperCase()} {path}
            </Anchor>
          ))}
      </Stack>
    </nav>
  );
}
