import { AppShell, Burger, Divider, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { authClient, orThrow } from '../auth/auth-client.js';
import type { SignedInUser } from '../auth/use-signed-in-user.js';
import { leavePage } from '../hooks/leave-page.js';
import { useAction } from '../hooks/use-action.js';
import { paths } from '../paths.js';
import { FormDialog, openDialog } from '../ui/dialogs.js';
import { loadScript } from './connection.js';
import type { ConsoleName, NavigationEntry } from './find-dialog.js';
import { Brand, ColorSchemeToggle, ConnectionNotice, Help, SkipLink } from './site-frame.js';

interface ConsoleFrameProps {
  user: SignedInUser;
  navigation: NavigationEntry[];
  of: ConsoleName;
  children: ReactNode;
}

/** The frame around the pages of a signed-in user: navigation on the left, the account on the right. */
export function ConsoleFrame({ user, navigation, of, children }: ConsoleFrameProps) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [path] = useLocation();
  const burger = useRef<HTMLButtonElement>(null);
  // Focus the burger before the menu closes, or the focus is lost. On wide screens the menu stays, and there is no burger.
  const closeMenu = () => {
    burger.current?.focus();
    close();
  };
  const leaving = useAction(() => orDialog('You are still signed in', signOut));
  const openFind = async () => {
    const { FindDialog } = await loadScript(() => import('./find-dialog.js'));
    openDialog(<FindDialog of={of} navigation={navigation} />);
  };
  // Nothing opens above another dialog, which may hold what was typed.
  const find = useAction(async () => {
    if (!document.querySelector('[role=dialog]')) await orDialog('The search could not be opened', openFind);
  });
  useHotkeys([['mod+K', () => void find.run()]], []);
  const closeByEscape = ({ key, currentTarget, target }: KeyboardEvent) => {
    // A dialog opened from the menu is not inside the menu's element.
    if (key === 'Escape' && isOpen && currentTarget.contains(target as Node)) closeMenu();
  };
  return (
    <AppShell
      header={{ height: 60 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <SkipLink />
      <AppShell.Header onKeyDown={closeByEscape}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="sm" wrap="nowrap">
            <Burger
              ref={burger}
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
              aria-expanded={isOpen}
            />
            <Brand />
          </Group>
          <Group gap="xs" wrap="nowrap" miw={0}>
            <Text size="sm" truncate maw={{ base: 110, xs: 260 }} title={user.email}>
              {user.name || user.email}
            </Text>
            <ColorSchemeToggle />
          </Group>
        </Group>
      </AppShell.Header>
      {/* Scrolls where it is higher than the window, as at 200 % zoom. On narrow screens the closed one is off screen, and takes no focus. */}
      <AppShell.Navbar
        p="sm"
        aria-label="Console"
        style={{ overflowY: 'auto' }}
        {...(!isOpen && { visibleFrom: 'sm' })}
        onKeyDown={closeByEscape}
      >
        <NavLink
          component="button"
          type="button"
          label="Find"
          rightSection={
            <Text size="xs" c="dimmed" visibleFrom="sm">
              Ctrl K
            </Text>
          }
          onClick={() => {
            closeMenu();
            void find.run();
          }}
        />
        {navigation.map(({ label, href }) => (
          <NavLink
            key={href}
            component={Link}
            href={href}
            label={label}
            active={isWithin(path, href, navigation)}
            aria-current={isWithin(path, href, navigation) ? 'page' : undefined}
            onClick={closeMenu}
          />
        ))}
        <Divider my="sm" />
        {otherPlaces(user, navigation).map(({ label, href }) => (
          // Loaded as new documents: the server authorizes the operator pages, and the public pages do not use this frame.
          <NavLink key={href} href={href} label={label} />
        ))}
        <NavLink component="button" type="button" label="Sign out" onClick={() => void leaving.run()} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <ConnectionNotice />
        {children}
        <Text size="sm" c="dimmed" mt="xl" component="footer">
          <Help />
        </Text>
      </AppShell.Main>
    </AppShell>
  );
}

/** Links to the other console, for operators, and to the docs. */
function otherPlaces(user: SignedInUser, navigation: NavigationEntry[]): NavigationEntry[] {
  const consoles = [
    { label: 'My console', href: paths.overview },
    ...(user.role === 'admin' ? [{ label: 'Operations', href: paths.dashboard }] : []),
  ];
  return [...consoles.filter(({ href }) => href !== navigation[0]?.href), { label: 'Docs', href: paths.docs }];
}

/** Whether a page belongs to an entry. All paths start with that of the first entry, so the first one matches only its own page. */
function isWithin(path: string, href: string, navigation: NavigationEntry[]): boolean {
  const at = `${path.replace(/\/$/, '')}/`;
  return href === navigation[0]?.href ? at === `${href}/` : at.startsWith(`${href}/`);
}

/** If an action of the frame fails, a dialog says so, and tries again. */
const orDialog = (title: string, act: () => Promise<void>) =>
  act().catch((error: Error) =>
    openDialog(
      <FormDialog title={title} action="Try again" onSubmit={act}>
        <Text>{error.message}</Text>
      </FormDialog>,
    ),
  );

/** Ends the session: the user may be leaving a shared device. Loads a new document afterwards, so that no data of the account stays in memory. */
async function signOut(): Promise<void> {
  await orThrow(authClient.signOut());
  await leavePage(() => window.location.assign(paths.home));
}
