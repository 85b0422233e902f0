import { Box } from '@mantine/core';
import type { Example } from '../../docs/examples.js';
import { codesHere, here } from '../site.js';
import { CodeTabs } from '../ui/code/code-tabs.js';

/** An example of the docs with the URL of this service, as the home page shows it. */
export function ExampleTabs({ of: { title, codes, answer } }: { of: Example }) {
  return (
    <Box mb="md">
      <CodeTabs title={title} codes={codesHere(codes)} answer={here(answer)} />
    </Box>
  );
}
