import { Anchor, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { type DocPage, docPages } from '../../docs/doc-pages.js';
import type { Section } from '../../docs/sections.js';
import classes from './docs-page.module.css';

/** The pages, and the parts of the one that is open: beside the text, or on a narrow screen above it and folded. */
export function Contents(props: { page: DocPage; sections: Section[] }) {
  return (
    <>
      <nav className={classes.contents} aria-label="Contents">
        <Pages {...props} />
      </nav>
      <details className={classes.menu} key={props.page.name}>
        <summary>Contents</summary>
        <nav aria-label="Contents">
          <Pages {...props} />
        </nav>
      </details>
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
            aria-current={each === page ? 'page' : undefined}
            className={classes.page ?? ''}
          >
            {each.title}
          </Anchor>
          {each === page &&
            sections
              .filter(({ level }) => level === 2)
              .map(({ id, title }) => (
                <Anchor key={id} href={`#${id}`} size="sm" className={classes.part ?? ''}>
                  {title}
                </Anchor>
              ))}
        </div>
      ))}
    </Stack>
  );
}
