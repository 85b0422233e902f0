import { Box } from '@mantine/core';
import type { Example } from '../../docs/examples.js';
import { site } from '../site.js';
import { CodeTabs } from '../ui/code/code-tabs.js';

/** An example of the docs with the URL of this service, as the home page shows it. */
export function ExampleTabs({ of: { title, codes, answer } }: { of: Example }) {
  const here = (text: string) => text.replaceAll('$BASE_URL', site.origin);
  return (
    <Box mb="md">
      <CodeTabs
        title={title}
        codes={{ curl: here(codes.curl), javascript: here(codes.javascript), python: here(codes.python) }}
        answer={here(answer)}
      />
    </Box>
  );
}
