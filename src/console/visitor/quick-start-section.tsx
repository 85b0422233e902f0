import { Box, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { Example } from '../../docs/examples.js';
import { examples } from '../../docs/examples.js';
import { paths } from '../paths.js';
import { codesHere, here } from '../site.js';
import { CodeTabs } from '../ui/code/code-tabs.js';
import { TextLink } from '../ui/links.js';

/** Two requests: one that works without a token, and one that needs a token. */
export function QuickStartSection() {
  return (
    <Box component="section" id="quick-start" mt={56} aria-labelledby="quick-start-title">
      <Title order={2} id="quick-start-title" mb="md">
        Quick start
      </Title>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="sm">
          <Text>List the counties that have records. This needs no account:</Text>
          <ExampleTabs of={examples.loadedCounties} />
        </Stack>
        <Stack gap="sm">
          <Text>
            To read records, you need a token. <TextLink href={paths.signUp()}>Sign up</TextLink>, store your token in the variable{' '}
            <code>API_TOKEN</code>, then run this. Or <TextLink href={paths.tryRead}>try it in the browser</TextLink>: without a token, it
            shows a free record.
          </Text>
          <ExampleTabs of={examples.firstRequest} />
        </Stack>
      </SimpleGrid>
    </Box>
  );
}

/** An example of the docs with the URL of this service, as the home page shows it. */
function ExampleTabs({ of: { title, codes, answer } }: { of: Example }) {
  return (
    <Box mb="md">
      <CodeTabs title={title} codes={codesHere(codes)} answer={here(answer)} />
    </Box>
  );
}
