import { Badge, Box, Button, Group, Skeleton, Text, TextInput } from '@mantine/core';
import { type ReactNode } from 'react';
import { authClient, orThrow } from '../../auth/auth-client.js';
import { browserOf, fromAddress, nameRule } from '../../format.js';
import { useAction } from '../../hooks/use-action.js';
import { type Answer, useRemote } from '../../hooks/use-remote.js';
import { FormDialog, openDialog } from '../../ui/dialogs.js';
import { ActionError, Loaded, Section, Timestamp } from '../../ui/parts.js';
import classes from './account-page.module.css';

interface Passkey {
  id: string;
  name?: string | null | undefined;
  createdAt: Date;
}

/** The passkeys that sign in without a password. */
export function PasskeysPart() {
  const passkeys = useRemote<Passkey[]>('passkeys', async () => (await orThrow(authClient.passkey.listUserPasskeys())) ?? []);
  const add = useAction(async () => {
    await orThrow(authClient.passkey.addPasskey({ name: deviceName() }));
    passkeys.refetch();
  });
  const askForName = ({ id, ...passkey }: Passkey) => {
    const rename = ({ name = '' }) => orThrow(authClient.passkey.updatePasskey({ id, name })).then(passkeys.refetch);
    openDialog(
      <FormDialog title="Rename passkey" action="Rename" onSubmit={rename}>
        <TextInput label="Name" name="name" {...nameRule} maxLength={100} defaultValue={nameOf(passkey)} data-autofocus />
      </FormDialog>,
    );
  };
  const askToRemove = ({ id, ...passkey }: Passkey) => {
    const remove = () => orThrow(authClient.passkey.deletePasskey({ id })).then(passkeys.refetch);
    openDialog(
      <FormDialog title={`Remove “${nameOf(passkey)}”?`} action="Remove passkey" isDangerous onSubmit={remove}>
        <Text>You won’t be able to sign in with it. Your password still works.</Text>
      </FormDialog>,
    );
  };
  return (
    <Section
      title="Passkeys"
      actions={
        <Button variant="default" onClick={() => void add.run()} loading={add.isBusy}>
          Add a passkey
        </Button>
      }
    >
      <ActionError error={add.error} />
      {passkeys.data?.length === 0 && <Text>No passkeys yet. A passkey lets you sign in with your fingerprint, face or device PIN.</Text>}
      <Rows what="Your passkeys" answer={passkeys}>
        {(passkey) => (
          <>
            <div>
              <Text fw={600}>{nameOf(passkey)}</Text>
              <Text size="sm" c="dimmed">
                added <Timestamp at={new Date(passkey.createdAt).toISOString()} />
              </Text>
            </div>
            <Group gap="xs">
              <Button {...inRow} aria-label={`Rename ${nameOf(passkey)}`} onClick={() => askForName(passkey)}>
                Rename
              </Button>
              <Button {...inRow} aria-label={`Remove ${nameOf(passkey)}`} onClick={() => askToRemove(passkey)}>
                Remove
              </Button>
            </Group>
          </>
        )}
      </Rows>
    </Section>
  );
}

const inRow = { variant: 'default', size: 'compact-sm' } as const;

interface RowsProps<Row> {
  what: string;
  answer: Answer<Row[]>;
  children: (row: Row) => ReactNode;
}

const Rows = <Row extends { id: string }>({ what, answer, children }: RowsProps<Row>) => (
  <Loaded what={what} answer={answer} placeholder={<Skeleton height={48} />}>
    {(rows) => (
      <Box component="ul" p={0} m={0}>
        {rows.map((row) => (
          <Group key={row.id} component="li" justify="space-between" className={classes.row}>
            {children(row)}
          </Group>
        ))}
      </Box>
    )}
  </Loaded>
);

const nameOf = (passkey: Pick<Passkey, 'name'>): string => passkey.name || 'Passkey';

/** The default name of a new passkey. */
function deviceName(): string {
  const system = /(Windows|Mac OS|Android|iPhone|iPad|Linux)/.exec(navigator.userAgent)?.[1];
  return system ? `Passkey on ${system}` : 'Passkey';
}

/** The sessions of the account. Each can be signed out here. */
export function SessionsPart() {
  const sessions = useRemote('sessions', async () => (await orThrow(authClient.listSessions())) ?? []);
  const current = authClient.useSession().data?.session.id;
  const end = useAction((token: string) => orThrow(authClient.revokeSession({ token })).then(sessions.refetch));
  const endOthers = useAction(() => orThrow(authClient.revokeOtherSessions()).then(sessions.refetch));
  return (
    <Section
      title="Sessions"
      actions={
        <Button
          variant="default"
          onClick={() => void endOthers.run()}
          loading={endOthers.isBusy}
          disabled={(sessions.data?.length ?? 0) < 2}
        >
          Sign out everywhere else
        </Button>
      }
    >
      <ActionError error={end.error ?? endOthers.error} />
      <Rows what="Your sessions" answer={sessions}>
        {({ id, token, userAgent, ipAddress, createdAt }) => (
          <>
            <div>
              <Group gap="xs">
                <Text fw={600}>{browserOf(userAgent)}</Text>
                {id === current && (
                  <Badge variant="default" tt="none">
                    this session
                  </Badge>
                )}
              </Group>
              <Text size="sm" c="dimmed">
                {fromAddress(ipAddress)}signed in <Timestamp at={new Date(createdAt).toISOString()} />
              </Text>
            </div>
            {id !== current && (
              <Button {...inRow} aria-label={`Sign out ${browserOf(userAgent)}`} loading={end.isBusy} onClick={() => void end.run(token)}>
                Sign out
              </Button>
            )}
          </>
        )}
      </Rows>
    </Section>
  );
}
