import { Box, Container, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useCallback, useEffect, useMemo } from 'react';
import { useLocationProperty } from 'wouter/use-browser-location';
import { type DocPage, docPages } from '../../docs/doc-pages.js';
import type { OpenApi } from '../../docs/openapi.js';
import { type DocsSource, sectionsOf } from '../../docs/sections.js';
import { useRemote } from '../hooks/use-remote.js';
import { getJson } from '../public-api.js';
import { SiteFrame } from '../shell/site-frame.js';
import { site } from '../site.js';
import { LoadFailed } from '../ui/failures.js';
import { RowLink } from '../ui/links.js';
import { Contents } from './contents.js';
import classes from './docs-page.module.css';
import { DocsSearch, reveal } from './docs-search.js';
import { SectionView } from './section-view.js';

/**
 * A page of the docs: contents, text, and what is sent and answered. Our own renderer of `/openapi.json` is a few KB of compressed script.
 * RapiDoc is 218 KB, Redoc 328 KB, Swagger UI 460 KB and Scalar 993 KB.
 */
export default function DocsPage({ page }: { page: DocPage }) {
  const contract = useRemote(
    useCallback((signal) => getJson<OpenApi>('/openapi.json', signal), []),
    'contract',
  );
  const source = useMemo(() => contract.data && docsSource(contract.data), [contract.data]);
  const sections = useMemo(() => (source ? sectionsOf(page, source) : []), [page, source]);
  useAnchor(page, source);

  return (
    <SiteFrame title={`${page.title} – Docs – Parcel Records`}>
      <Container size="xl" py="xl">
        <div className={classes.columns}>
          <div className={classes.side}>
            <DocsSearch source={source} />
            <Contents page={page} sections={sections} />
          </div>
          <div className={classes.text}>
            <Title order={1}>{page.title}</Title>
            <Text c="dimmed" mb="lg">
              {page.description}
            </Text>
            {contract.error && !source && <LoadFailed what="This page" onRetry={contract.reload} />}
            {!source && !contract.error && (
              <Stack aria-busy="true">
                {[1, 2, 3].map((block) => (
                  <Skeleton key={block} height={220} />
                ))}
              </Stack>
            )}
            {source && sections.map((section) => <SectionView key={section.id} section={section} source={source} />)}
            <Neighbors page={page} />
          </div>
        </div>
      </Container>
    </SiteFrame>
  );
}

function Neighbors({ page }: { page: DocPage }) {
  const position = docPages.indexOf(page);
  const [previous, next] = [docPages[position - 1], docPages[position + 1]];
  return (
    <Group component="nav" aria-label="Neighboring pages" justify="space-between" mt={56}>
      <Box>{previous && <RowLink href={previous.path}>← {previous.title}</RowLink>}</Box>
      {next && <RowLink href={next.path}>{next.title} →</RowLink>}
    </Group>
  );
}

/** Shows the part of the page that the URL names. */
function useAnchor(page: DocPage, source: DocsSource | undefined): void {
  const hash = useLocationProperty(
    () => window.location.hash,
    () => '',
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has other parts
  useEffect(() => {
    const id = decodeURIComponent(hash.slice(1));
    if (id && source) reveal(id);
  }, [hash, page, source]);
}

const files = import.meta.glob<string>(['../../docs/pages/*', '../../docs/programs/*'], { query: '?raw', import: 'default', eager: true });

const texts = Object.fromEntries(Object.entries(files).map(([path, text]) => [path.split('/').at(-1)!, text]));

/** What the docs are made of. @param contract the document at `/openapi.json` */
const docsSource = (contract: OpenApi): DocsSource => ({ contract, plans: site, texts });
