import { Box, Container, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useCallback, useEffect } from 'react';
import { useRemote } from '../hooks/use-remote.js';
import { getJson } from '../public-api.js';
import { SiteFrame } from '../shell/site-frame.js';
import { LoadFailed } from '../ui/failures.js';
import { Contents } from './contents.js';
import classes from './docs-page.module.css';
import { DocsSearch } from './docs-search.js';
import { Guides } from './guides.js';
import type { OpenApi } from './openapi.js';
import { RecordSection } from './record-section.js';
import { Reference } from './reference.js';

/**
 * Guides and reference. Our own renderer of `/openapi.json` is 5 KB of compressed script. RapiDoc is 218 KB, Redoc 328 KB, Swagger UI
 * 460 KB and Scalar 993 KB.
 */
export default function DocsPage() {
  const contract = useRemote(
    useCallback((signal) => getJson<OpenApi>('/openapi.json', signal), []),
    'contract',
  );

  // The target of a link into the reference exists only after the document has loaded.
  useEffect(() => {
    if (contract.data && window.location.hash) document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
  }, [contract.data]);

  return (
    <SiteFrame title="Docs – Parcel Records">
      <Container size="xl" py="xl">
        <Title order={1}>Documentation</Title>
        <Text c="dimmed" mb="md">
          How reads are metered and charged, every field of a record, and every operation of the API.
        </Text>
        <Box maw={480} mb="xl">
          <DocsSearch document={contract.data} />
        </Box>
        <div className={classes.columns}>
          <Contents document={contract.data} />
          <div className={classes.text}>
            <Guides />
            {contract.data && <RecordSection document={contract.data} />}
            <Title order={2} id="reference" mt={56}>
              Reference
            </Title>
            {contract.error && <LoadFailed what="The reference" onRetry={contract.reload} />}
            {!contract.data && !contract.error && (
              <Stack aria-busy="true" mt="md">
                {[1, 2, 3].map((block) => (
                  <Skeleton key={block} height={220} />
                ))}
              </Stack>
            )}
            {contract.data && <Reference document={contract.data} />}
          </div>
        </div>
      </Container>
    </SiteFrame>
  );
}
