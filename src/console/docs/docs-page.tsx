import { Anchor, Box, Container, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useLocationProperty } from 'wouter/use-browser-location';
import { type DocPage, docPages } from '../../docs/doc-pages.js';
import type { OpenApi } from '../../docs/openapi.js';
import { type DocsSource, type Section, sectionsOf } from '../../docs/sections.js';
import { useContract } from '../public-api.js';
import { SiteFrame } from '../shell/site-frame.js';
import { site } from '../site.js';
import { Combobox } from '../ui/combobox.js';
import { LoadFailed, RowLink } from '../ui/parts.js';
import classes from './docs-page.module.css';
import { buildSearchIndex, type SearchEntry, search } from './search-index.js';
import { SectionView } from './section-view.js';

/**
 * A page of the docs: contents, text, and what is sent and answered. Our own renderer of `/openapi.json` is a few KB of compressed script.
 * RapiDoc is 218 KB, Redoc 328 KB, Swagger UI 460 KB and Scalar 993 KB.
 */
export default function DocsPage({ page }: { page: DocPage }) {
  const contract = useContract();
  const source = useMemo(() => contract.data && docsSource(contract.data), [contract.data]);
  const sections = useMemo(() => (source ? sectionsOf(page, source) : []), [page, source]);
  useAnchor(page, source);

  return (
    <SiteFrame title={`${page.title} – Docs – Parcel Records`}>
      <Container size="xl" py="xl">
        <Group align="flex-start" gap="0 3rem">
          <Box w={{ base: '100%', md: '14rem' }} pos={{ base: 'static', md: 'sticky' }} top="5rem">
            <DocsSearch source={source} />
            <Contents page={page} sections={sections} />
          </Box>
          <Box flex={1} miw={{ base: '100%', md: 0 }} className={classes.text}>
            <Title order={1}>{page.title}</Title>
            <Text c="dimmed" mb="lg">
              {page.description}
            </Text>
            {contract.error && !source && <LoadFailed what="This page" message={contract.error.message} onRetry={contract.refetch} />}
            {!source && !contract.error && (
              <Stack aria-busy="true">
                {[1, 2, 3].map((block) => (
                  <Skeleton key={block} height={220} />
                ))}
              </Stack>
            )}
            {source && sections.map((section) => <SectionView key={section.id} section={section} source={source} />)}
            <Neighbors page={page} />
          </Box>
        </Group>
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

/** @param contract the document at `/openapi.json` */
const docsSource = (contract: OpenApi): DocsSource => ({ contract, plans: site, texts });

/** The pages, and the parts of the one that is open: beside the text, or on a narrow screen above it and folded. */
function Contents(props: { page: DocPage; sections: Section[] }) {
  return (
    <>
      <Box component="nav" aria-label="Contents" visibleFrom="md" mt="md" mah="calc(100vh - 10rem)" style={{ overflowY: 'auto' }}>
        <Pages {...props} />
      </Box>
      <Paper component="details" withBorder hiddenFrom="md" key={props.page.name} my="md" px="md" py="xs">
        <summary>Contents</summary>
        <Box component="nav" aria-label="Contents" mt="sm">
          <Pages {...props} />
        </Box>
      </Paper>
    </>
  );
}

function Pages({ page, sections }: { page: DocPage; sections: Section[] }) {
  return (
    <Stack gap={8}>
      {docPages.map((each) => (
        <div key={each.name}>
          <Anchor
            component={Link}
            href={each.path}
            size="sm"
            {...(each === page && { 'aria-current': 'page', c: 'var(--mantine-color-text)', fw: 600 })}
          >
            {each.title}
          </Anchor>
          {each === page &&
            sections
              .filter(({ level }) => level === 2)
              .map(({ id, title }) => (
                <Anchor key={id} href={`#${id}`} size="sm" display="block" mt={6} pl="sm" className={classes.part ?? ''}>
                  {title}
                </Anchor>
              ))}
        </div>
      ))}
    </Stack>
  );
}

/** Searches all texts of all pages. Pressing `/` anywhere on the page focuses it. */
function DocsSearch({ source }: { source: DocsSource | undefined }) {
  const [text, setText] = useState('');
  const [, navigate] = useLocation();
  const field = useRef<HTMLInputElement>(null);
  const isWanted = text !== '';
  const index = useMemo(() => (source && isWanted ? buildSearchIndex(source) : []), [source, isWanted]);
  useHotkeys([['/', () => field.current?.focus()]]);

  const open = ({ href, id }: SearchEntry) => {
    setText('');
    navigate(href);
    reveal(id);
  };
  return (
    <Combobox
      inputRef={field}
      label="Search the docs"
      placeholder="Search the docs (press /)"
      text={text}
      onText={setText}
      choices={search(index, text)}
      onChoose={open}
      empty="No results."
    />
  );
}

/** Scrolls to an element, unfolds what it is in, and focuses it, so that the keyboard goes on from there. @returns whether it exists */
function reveal(id: string): boolean {
  const target = document.getElementById(id);
  const folded = target?.closest('details');
  if (folded) folded.open = true;
  target?.setAttribute('tabindex', '-1');
  target?.scrollIntoView();
  target?.focus({ preventScroll: true });
  return target !== null;
}
