import { Badge, Box, Divider, Group, Skeleton, Text, TextInput } from '@mantine/core';
import { type ReactNode } from 'react';
import { authClient, orThrow } from '../../auth/auth-client.js';
import { browserOf, fromAddress, nameRule } from '../../format.js';
import { type Answer, useRemote } from '../../hooks/use-remote.js';
import { DialogButton, FormDialog } from '../../ui/dialogs.js';
import { ActionButton, Loaded, Nothing, Section, Timestamp } from '../../ui/parts.js';

interface Passkey {
  id: string;
  name?: string | null | undefined;
  createdAt: Date;
}

/** The passkeys that sign in without a password. */
export function PasskeysPart() {
  const passkeys = useRemote<Passkey[]>('passkeys', async () => (await orThrow(authClient.passkey.listUserPasskeys())) ?? []);
  const add = () => orThrow(authClient.passkey.addPasskey({ name: deviceName() })).then(passkeys.refetch);
  const rename = (id: string, name = '') => orThrow(authClient.passkey.updatePasskey({ id, name })).then(passkeys.refetch);
  const remove = (id: string) => orThrow(authClient.passkey.deletePasskey({ id })).then(passkeys.refetch);
  return (
    <Section
      title="Passkeys"
      actions={
        <ActionButton size="sm" act={add}>
          Add a passkey
        </ActionButton>
      }
    >
      {passkeys.data?.length === 0 && (
        <Nothing>No passkeys yet. A passkey lets you sign in with your fingerprint, face or device PIN.</Nothing>
      )}
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
              <DialogButton label="Rename" of={nameOf(passkey)}>
                <FormDialog title="Rename passkey" action="Rename" onSubmit={({ name }) => rename(passkey.id, name)}>
                  <TextInput label="Name" name="name" {...nameRule} maxLength={100} defaultValue={nameOf(passkey)} data-autofocus />
                </FormDialog>
              </DialogButton>
              <DialogButton label="Remove" of={nameOf(passkey)}>
                <FormDialog title={`Remove “${nameOf(passkey)}”?`} action="Remove passkey" isDangerous onSubmit={() => remove(passkey.id)}>
                  <Text>You won’t be able to sign in with it. Your password still works.</Text>
                </FormDialog>
              </DialogButton>
            </Group>
          </>
        )}
      </Rows>
    </Section>
  );
}

interface RowsProps<Row> {
  what: string;
  answer: Answer<Row[]>;
  children: (row: Row) => ReactNode;
}

const Rows = <Row extends { id: string }>({ what, answer, children }: RowsProps<Row>) => (
  <Loaded what={what} answer={answer} placeholder={<Skeleton height={48} />}>
    {(rows) => (
      <Box component="ul" p={0} m={0}>
        {rows.map((row, index) => (
          <Box key={row.id} component="li" display="block">
            {index > 0 && <Divider />}
            <Group justify="space-between" py="xs">
              {children(row)}
            </Group>
          </Box>
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
  return (
    <Section
      title="Sessions"
      actions={
        <ActionButton
          size="sm"
          act={() => orThrow(authClient.revokeOtherSessions()).then(sessions.refetch)}
          disabled={(sessions.data?.length ?? 0) < 2}
        >
          Sign out everywhere else
        </ActionButton>
      }
    >
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
              <ActionButton
                aria-label={`Sign out ${browserOf(userAgent)}`}
                act={() => orThrow(authClient.revokeSession({ token })).then(sessions.refetch)}
              >
                Sign out
              </ActionButton>
            )}
          </>
        )}
      </Rows>
    </Section>
  );
}
