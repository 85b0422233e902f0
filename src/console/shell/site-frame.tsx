import {
  ActionIcon,
  Alert,
  Anchor,
  Box,
  Button,
  Container,
  Group,
  Stack,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { useIsHydrated } from '../hooks/shared-value.js';
import { typeInto } from '../hooks/use-draft.js';
import { paths } from '../paths.js';
import { site } from '../site.js';
import { MoonIcon, SunIcon } from '../ui/icons.js';
import { TextLink } from '../ui/parts.js';
import { serverUnreachable, useIsOnline } from './connection.js';
import classes from './site-frame.module.css';

/** The frame around the public pages: skip link, header, main part, footer. */
export function SiteFrame({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    const root = document.getElementById('root')!;
    if (root.dataset.answers !== undefined) takeWhatWasTyped(root);
    // Says that the page reacts now; until then it is what the server wrote.
    root.removeAttribute('data-answers');
    document.title = title;
  }, [title]);
  return (
    <Stack mih="100vh" gap={0}>
      <SkipLink />
      <Box component="header" pos="sticky" top={0} h="3.75rem" bg="var(--mantine-color-body)" className={classes.header}>
        <Container size="xl" h="100%">
          <Group h="100%" justify="space-between" gap="xs" wrap="nowrap">
            <Brand />
            <Group component="nav" aria-label="Site" gap="xs" wrap="nowrap">
              {/* The browser scrolls to parts of the home page; phones have no room for what is one scroll away there. */}
              <Anchor href={paths.allStates} c="var(--mantine-color-text)" visibleFrom="xs">
                Coverage
              </Anchor>
              <Anchor href={paths.pricing} c="var(--mantine-color-text)" visibleFrom="xs">
                Pricing
              </Anchor>
              <Anchor component={Link} href={paths.docs} c="var(--mantine-color-text)">
                Docs
              </Anchor>
              <Button component={Link} href={paths.overview} variant="default" size="compact-md">
                Sign in
              </Button>
              <ColorSchemeToggle />
            </Group>
          </Group>
        </Container>
      </Box>
      <Box component="main" id="main" tabIndex={-1} flex={1}>
        <Container size="xl">
          <ConnectionNotice />
        </Container>
        {children}
      </Box>
      <Box component="footer" mt={64} py="lg" style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>
        <Container size="xl">
          <Text size="sm" c="dimmed">
            County shapes: US Census Bureau, 2016 and 2023. Parcel records are shown as their county published them.{' '}
            <Anchor href="/openapi.json" size="sm" underline="always">
              OpenAPI document
            </Anchor>
            .{' '}
            <TextLink href={paths.verify} mr="md">
              Check a bill
            </TextLink>
            <Help />
          </Text>
        </Container>
      </Box>
    </Stack>
  );
}

const helpLinks: [label: string, href: string | undefined][] = [
  ['Terms', site.termsUrl],
  ['Privacy', site.privacyUrl],
  ['Status', site.statusUrl],
  [`Help: ${site.supportEmail}`, site.supportEmail && `mailto:${site.supportEmail}`],
];

/** Where help is, and what the operator publishes elsewhere. */
export const Help = () =>
  helpLinks.map(
    ([label, href]) =>
      href && (
        <Anchor key={label} href={href} inherit underline="always" mr="md">
          {label}
        </Anchor>
      ),
  );

/** Keeps text that somebody typed before this script ran: React was not told, and would replace it by what the server wrote. */
function takeWhatWasTyped(root: HTMLElement): void {
  for (const field of root.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')) {
    const { value, defaultValue } = field;
    if (value === defaultValue) continue;
    field.value = defaultValue;
    typeInto(field, value);
  }
}

export function Brand() {
  return (
    <Link href={paths.home} className={classes.brand}>
      <img src="/favicon.svg" alt="" width={26} height={26} />
      Parcel Records
    </Link>
  );
}

/** The system's scheme is the default. A choice is stored on this device. */
export function ColorSchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const isHydrated = useIsHydrated();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const current = isHydrated ? scheme : 'light';
  const next = current === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon variant="default" size="lg" aria-label={`Use ${next} colours`} onClick={() => setColorScheme(next)}>
      {next === 'dark' ? <MoonIcon /> : <SunIcon />}
    </ActionIcon>
  );
}

/** A link past the navigation: the first focusable element of every page. */
export function SkipLink() {
  return (
    <a href="#main" className={classes.skipLink}>
      Skip to content
    </a>
  );
}

/** A notice while the device is offline or the server is unreachable. The page below it stays. */
export function ConnectionNotice() {
  const isOnline = useIsOnline();
  const isServerUnreachable = serverUnreachable.useValue();
  if (isOnline && !isServerUnreachable) return null;
  return (
    <Alert color="orange" my="md" role="status" title={isOnline ? 'The server cannot be reached' : 'You are offline'}>
      This page may be out of date. {isOnline ? 'The next page or action tries again.' : 'It is updated when the connection is back.'}
    </Alert>
  );
}
