import { ActionIcon, Alert, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Link } from 'wouter';
import { useIsHydrated } from '../hooks/use-is-hydrated.js';
import { paths } from '../paths.js';
import { MoonIcon, SunIcon } from '../ui/icons.js';
import { useIsOnline, useIsServerUnreachable } from './connection.js';
import classes from './frame-parts.module.css';

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
  const isServerUnreachable = useIsServerUnreachable();
  if (isOnline && !isServerUnreachable) return null;
  return (
    <Alert color="orange" variant="outline" my="md" role="status" title={isOnline ? 'The server cannot be reached' : 'You are offline'}>
      This page may be out of date. {isOnline ? 'The next page or action tries again.' : 'It is updated when the connection is back.'}
    </Alert>
  );
}
