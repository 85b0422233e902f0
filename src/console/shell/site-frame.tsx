import { Anchor, Button, Container, Group, Text } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { paths } from '../paths.js';
import { Brand, ColorSchemeToggle, ConnectionNotice, SkipLink } from './frame-parts.js';
import classes from './site-frame.module.css';

/** The frame around the public pages: skip link, header, main part, footer. */
export function SiteFrame({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    // Says that the page reacts now; until then it is what the server wrote.
    document.getElementById('root')!.removeAttribute('data-answers');
    document.title = title;
  }, [title]);
  return (
    <div className={classes.frame}>
      <SkipLink />
      <header className={classes.header}>
        <Container size="xl" h="100%">
          <Group h="100%" justify="space-between" gap="xs" wrap="nowrap">
            <Brand />
            <Group component="nav" aria-label="Site" gap="xs" wrap="nowrap">
              <Anchor component={Link} href={paths.docs} c="var(--mantine-color-text)">
                Docs
              </Anchor>
              <Button component={Link} href={paths.overview} variant="default" size="compact-md">
                Console
              </Button>
              <ColorSchemeToggle />
            </Group>
          </Group>
        </Container>
      </header>
      <main id="main" tabIndex={-1}>
        <Container size="xl">
          <ConnectionNotice />
        </Container>
        {children}
      </main>
      <footer className={classes.footer}>
        <Container size="xl">
          <Text size="sm" c="dimmed">
            County shapes: US Census Bureau, 2016 and 2023. Parcel records are shown as their county published them.{' '}
            <Anchor href="/openapi.json" size="sm" underline="always">
              OpenAPI document
            </Anchor>
            .{' '}
            <Anchor component={Link} href={paths.verify} size="sm" underline="always">
              Check a bill
            </Anchor>
          </Text>
        </Container>
      </footer>
    </div>
  );
}
