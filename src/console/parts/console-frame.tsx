import { AppShell, Burger, Group, Menu, NavLink, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { authClient } from '../auth/auth-client.js';
import type { SignedInUser } from '../auth/use-signed-in-user.js';
import { paths } from '../paths.js';
import { Brand } from './brand.js';
import { ColorSchemeToggle } from './color-scheme-toggle.js';
import { ConnectionNotice } from './connection-notice.js';
import { SkipLink } from './skip-link.js';

export interface NavigationEntry {
  label: string;
  href: string;
}

interface ConsoleFrameProps {
  user: SignedInUser;
  navigation: NavigationEntry[];
  children: ReactNode;
}

/** What surrounds the pages of a signed-in person: ways on the left, who they are on the right. */
export function ConsoleFrame({ user, navigation, children }: ConsoleFrameProps) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [path] = useLocation();
  return (
    <AppShell
      header={{ height: 60 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <SkipLink />
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
              aria-expanded={isOpen}
            />
            <Brand />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <UserMenu user={user} />
            <ColorSchemeToggle />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Console">
        {navigation.map(({ label, href }) => (
          <NavLink
            key={href}
            component={Link}
            href={href}
            label={label}
            active={isWithin(path, href, navigation)}
            aria-current={isWithin(path, href, navigation) ? 'page' : undefined}
            onClick={close}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <ConnectionNotice />
        {children}
      </AppShell.Main>
    </AppShell>
  );
}

function UserMenu({ user }: { user: SignedInUser }) {
  const isOperator = user.role === 'admin';
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <UnstyledButton px="sm" py={6} aria-label={`${user.name || user.email}, account menu`}>
          <Text size="sm" truncate maw={{ base: 90, sm: 220 }}>
            {user.name || user.email}
          </Text>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.email}</Menu.Label>
        <Menu.Item component={Link} href={paths.tokens}>
          Console
        </Menu.Item>
        {isOperator && (
          // A whole new page: the server guards the operators' pages, so it is asked.
          <Menu.Item component="a" href={paths.operations}>
            Operations
          </Menu.Item>
        )}
        <Menu.Item component={Link} href={paths.docs}>
          Docs
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={signOut}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Leaves by a new page, so that nothing of the account stays in memory. */
async function signOut(): Promise<void> {
  await authClient.signOut();
  window.location.assign(paths.home);
}

/** The entry with the longest matching address is the current one. */
function isWithin(path: string, href: string, navigation: NavigationEntry[]): boolean {
  const matching = navigation.map((entry) => entry.href).filter((candidate) => path === candidate || path.startsWith(`${candidate}/`));
  return matching.sort((a, b) => b.length - a.length)[0] === href;
}
