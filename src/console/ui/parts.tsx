import {
  Alert,
  Anchor,
  type AnchorProps,
  Badge,
  Box,
  type BoxProps,
  Button,
  type ButtonProps,
  DataList,
  Group,
  List,
  type ListProps,
  Skeleton,
  Stack,
  Text,
  Title,
  type TitleProps,
} from '@mantine/core';
import { type ComponentPropsWithoutRef, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Link } from 'wouter';
import { pageLanguage, relativeTime, serverNow } from '../format.js';
import { useIsHydrated } from '../hooks/shared-value.js';
import { useAction } from '../hooks/use-action.js';
import type { Answer } from '../hooks/use-remote.js';
import { paths } from '../paths.js';
import { serverUnreachable, useIsOnline } from '../shell/connection.js';
import classes from './parts.module.css';

type LinkProps = AnchorProps & Omit<ComponentPropsWithoutRef<'a'>, keyof AnchorProps | 'href'> & { href: string };

/** A link to a page of the site within other words, as large as they are. */
export const TextLink = (props: LinkProps) => <Anchor component={Link} inherit underline="always" {...props} />;

/** A link to a page of the site that stands alone, as in the cell of a table. */
export const RowLink = (props: LinkProps) => <Anchor component={Link} inherit {...props} />;

/** A button in the row of a token, which leads to its entries. @param of the token's name, since each row has such a button */
export const LedgerButton = ({ of, href }: { of: string; href: string }) => (
  <Button component={Link} href={href} variant="default" size="compact-sm" aria-label={`Ledger of ${of}`}>
    Ledger
  </Button>
);

/** An account by its email address, which leads to its page. One without an address is named by its id. */
export const AccountLink = ({ id, email }: { id: string; email: string | null }) => (
  <RowLink href={paths.adminAccount(id)} title={email ?? id}>
    {email ?? id}
  </RowLink>
);

const formats = {
  absolute: new Intl.DateTimeFormat(pageLanguage, { dateStyle: 'medium', timeStyle: 'short' }),
  exact: new Intl.DateTimeFormat(pageLanguage, { dateStyle: 'medium', timeStyle: 'medium' }),
  zoned: new Intl.DateTimeFormat(pageLanguage, { dateStyle: 'long', timeStyle: 'long' }),
};

interface TimestampProps {
  at: string | null;
  /** Shown if there is no time. */
  none?: string;
  style?: keyof typeof formats | 'relative';
}

/**
 * A time in the user's time zone. Hovering shows it in UTC, to the second. `exact` has seconds, `zoned` also names the zone, and
 * `relative` is the distance from now.
 */
export function Timestamp({ at, none = '–', style = 'absolute' }: TimestampProps) {
  const isHydrated = useIsHydrated();
  if (at === null) return none;
  const moment = new Date(at);
  const local = () => (style === 'relative' ? relativeTime(moment.getTime() - serverNow()) : formats[style].format(moment));
  return (
    <time dateTime={moment.toISOString()} title={inUtc(at)}>
      {isHydrated ? local() : inUtc(at)}
    </time>
  );
}

export const inUtc = (at: string): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

interface SectionProps extends BoxProps {
  /** For links to it. */
  id?: string;
  title: ReactNode;
  size?: TitleProps['size'];
  /** Beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page under its title, which names it for screen readers. */
export function Section({ title, size = 'h4', actions, children, ...box }: SectionProps) {
  const titleId = useId();
  return (
    <Box component="section" aria-labelledby={titleId} {...box}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size={size} id={titleId}>
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Box>
  );
}

export type Tone = 'good' | 'warning' | 'bad' | 'neutral';

const colors: Record<Tone, string> = { good: 'green.9', warning: 'orange.9', bad: 'red.9', neutral: 'gray.7' };

const words: [tone: Tone, states: string[]][] = [
  ['good', ['active', 'all checks passed', 'current', 'handled', 'operator', 'passed', 'published', 'verified']],
  ['warning', ['exhausted', 'held', 'kept', 'loading', 'not verified', 'own cap reached', 'running', 'stored']],
  ['bad', ['banned', 'failed', 'revoked']],
];

/** A state as a word. The colour only adds to it, for accessibility. @param tone by default that of the word, on every page */
export function StateBadge({ state, tone }: { state: string; tone?: Tone }) {
  const [ofWord = 'neutral'] = words.find(([, states]) => states.includes(state)) ?? [];
  return (
    <Badge color={colors[tone ?? ofWord]} c="white" tt="none" miw="max-content">
      {state}
    </Badge>
  );
}

/** Names and values, one per line. Entries that are `false` are left out. */
export const Facts = ({ facts }: { facts: ([name: string, value: ReactNode] | false)[] }) => (
  <DataList size="md" gap={5} withDivider styles={factStyles}>
    {facts
      .filter((fact) => fact !== false)
      .map(([name, value]) => (
        <DataList.Item key={name}>
          <DataList.ItemLabel>{name}</DataList.ItemLabel>
          <DataList.ItemValue>{value}</DataList.ItemValue>
        </DataList.Item>
      ))}
  </DataList>
);

const factStyles = {
  item: { flexWrap: 'wrap', gap: '0 1rem', justifyContent: 'space-between' },
  itemValue: { overflowWrap: 'anywhere', fontVariantNumeric: 'tabular-nums' },
} as const;

/** A colour of a map or a chart, beside what it stands for. */
export const Swatch = ({ color, size, radius = 3 }: { color: string; size: number; radius?: number | string }) => (
  <Box component="span" flex="none" w={size} h={size} bg={color} bdrs={radius} data-colored />
);

/** Instead of a list or a part that has nothing: a sentence that says so, and a link or a button to what to do next. */
export const Nothing = ({ children }: { children: ReactNode }) => (
  <Text c="dimmed" py="md" component="div">
    {children}
  </Text>
);

/** That there is nothing, and where to go next. */
export const NextStep = ({ says, link, href }: { says: string; link: string; href: string }) => (
  <>
    {says} <TextLink href={href}>{link}</TextLink>
  </>
);

/** The action requires a recent sign-in. */
export class StaleSignInError extends Error {}

/** The message of a failed action, with a sign-in link if that helps. Screen readers announce it. In a form it also takes the focus. */
export function ActionError({ error }: { error: Error | undefined }) {
  const message = useRef<HTMLDivElement>(null);
  // As soon as it is there: a moment later somebody may type in the form already, and the focus would be taken from the field.
  useLayoutEffect(() => {
    if (error && message.current?.closest('form')) message.current.focus();
  }, [error]);
  if (!error) return null;
  return (
    <Alert ref={message} color="red" role="alert" tabIndex={-1}>
      {error.message}{' '}
      {error instanceof StaleSignInError && (
        <Anchor href={paths.signIn(window.location.pathname + window.location.search)} underline="always">
          Sign in again, and come back here
        </Anchor>
      )}
    </Alert>
  );
}

interface LoadFailedProps {
  what: string;
  /** Why, unless the frame says so. */
  message: string | undefined;
  /** Whether older data is shown below. */
  isOldShown?: boolean;
  onRetry: () => void;
}

/** Says that something could not be loaded, and offers a retry. */
export function LoadFailed({ what, message, isOldShown = false, onRetry }: LoadFailedProps) {
  const title = isOldShown ? `${what} could not be updated` : `${what} could not be loaded`;
  return (
    <Alert color="red" title={title} role="alert" mb={isOldShown ? 'md' : undefined}>
      <Stack align="flex-start" gap="sm">
        {message && <Text size="sm">{message}</Text>}
        <Button variant="default" size="sm" onClick={onRetry}>
          Try again
        </Button>
      </Stack>
    </Alert>
  );
}

interface ActionButtonProps extends ButtonProps {
  act: () => Promise<unknown>;
  children: string;
}

/** A button that does something, is busy meanwhile, and says below it why that failed. */
export function ActionButton({ act, children, ...button }: ActionButtonProps & { 'aria-label'?: string }) {
  const { run, isBusy, error } = useAction(act);
  return (
    <>
      <Button variant="default" size="compact-sm" {...button} loading={isBusy} onClick={() => void run()}>
        {children}
      </Button>
      <ActionError error={error} />
    </>
  );
}

interface LoadedProps<Data> {
  /** As in "… could not be loaded". */
  what: string;
  answer: Answer<Data>;
  /** Shown while loading. It should be as high as the content, to avoid layout shift. */
  placeholder?: ReactNode;
  children: (data: NonNullable<Data>) => ReactNode;
}

/**
 * Shows the state of an answer: loading, failed, or its data. Old data stays visible during a refetch, and also if that fails. Data that
 * does not match the filters and the page in the URL is marked as outdated.
 */
export function Loaded<Data>({ what, answer, placeholder, children }: LoadedProps<Data>) {
  const { data, isOutdated, error, refetch } = answer;
  // If not, the frame already shows a notice.
  const isConnected = [!serverUnreachable.useValue(), useIsOnline()].every(Boolean);
  if (data) {
    return (
      <>
        {error && isConnected && <LoadFailed what={what} message={error.message} isOldShown onRetry={refetch} />}
        <div aria-busy={isOutdated} className={isOutdated ? classes.outdated : undefined}>
          {children(data)}
        </div>
      </>
    );
  }
  if (error) return <LoadFailed what={what} message={isConnected ? error.message : undefined} onRetry={refetch} />;
  return (
    <div aria-busy="true" className={classes.loading}>
      {placeholder ?? <Skeleton height={280} />}
    </div>
  );
}

/** A list of texts. Those that are `false` are left out. */
export const Items = ({ of: texts, ...list }: Omit<ListProps, 'children'> & { of: (string | false)[] }) => (
  <List {...list}>
    {texts.filter(Boolean).map((text) => (
      <List.Item key={String(text)}>{text}</List.Item>
    ))}
  </List>
);

/** Saves texts, one after the other, as a file. */
export function saveFile(name: string, type: string, texts: string[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(texts, { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
