import { Anchor, Box, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { CodeBlock } from '../parts/code-block.js';
import { paths } from '../paths.js';

/** Two commands: one that works without a token, and one that needs it. */
export function QuickStartSection() {
  const { origin } = window.location;
  return (
    <Box component="section" id="quick-start" mt={56} aria-labelledby="quick-start-title">
      <Title order={2} id="quick-start-title" mb="md">
        Quick start
      </Title>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="sm">
          <Text>Which counties have records needs no account:</Text>
          <CodeBlock title="Loaded counties" code={`curl '${origin}/api/counties?status=loaded'`} />
        </Stack>
        <Stack gap="sm">
          <Text>
            Records need a token.{' '}
            <Anchor component={Link} href={paths.signUp} underline="always">
              Sign up
            </Anchor>
            , copy yours, then:
          </Text>
          <CodeBlock
            title="One record, one credit"
            code={`export API_TOKEN=pk_trial_…\ncurl -H "Authorization: Bearer $API_TOKEN" \\\n  '${origin}/api/parcels?limit=1'`}
          />
        </Stack>
      </SimpleGrid>
    </Box>
  );
}
