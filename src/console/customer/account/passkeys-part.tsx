import { Button, Group, List, Skeleton, Text, TextInput } from '@mantine/core';
import { useCallback, useState } from 'react';
import { authClient, orThrow } from '../../auth/auth-client.js';
import { nameRule } from '../../format/format.js';
import { useAction } from '../../hooks/use-action.js';
import { useRemote } from '../../hooks/use-remote.js';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { ActionError, LoadFailed } from '../../ui/failures.js';
import { Section } from '../../ui/section.js';
import { Timestamp } from '../../ui/timestamp.js';
import classes from './account-page.module.css';

interface Passkey {
  id: string;
  name?: string | null | undefined;
  createdAt: Date;
}

/** The passkeys that sign in without a password. */
export function PasskeysPart() {
  const passkeys = useRemote<Passkey[]>(useCallback(async () => (await orThrow(authClient.passkey.listUserPasskeys())) ?? [], []));
  const [renamed, setRenamed] = useState<Passkey>();
  const [removed, setRemoved] = useState<Passkey>();
  const add = useAction(async () => {
    await orThrow(authClient.passkey.addPasskey({ name: deviceName() }));
    passkeys.reload();
  });
  const rename = async (id: string, name: string) => {
    await orThrow(authClient.passkey.updatePasskey({ id, name }));
    passkeys.reload();
  };
  const remove = async (id: string) => {
    await orThrow(authClient.passkey.deletePasskey({ id }));
    passkeys.reload();
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
      {passkeys.error && <LoadFailed what="Your passkeys" message={passkeys.error.message} onRetry={passkeys.reload} />}
      {!passkeys.data && !passkeys.error && <Skeleton height={48} aria-busy="true" />}
      {passkeys.data?.length === 0 && <Text>No passkeys yet. A passkey lets you sign in with your fingerprint, face or device PIN.</Text>}
      <List listStyleType="none" className={classes.rows}>
        {passkeys.data?.map((passkey) => (
          <List.Item key={passkey.id} className={classes.row}>
            <Group justify="space-between">
              <div>
                <Text fw={600}>{nameOf(passkey)}</Text>
                <Text size="sm" c="dimmed">
                  added <Timestamp at={new Date(passkey.createdAt).toISOString()} />
                </Text>
              </div>
              <Group gap="xs">
                <Button variant="default" size="compact-sm" aria-label={`Rename ${nameOf(passkey)}`} onClick={() => setRenamed(passkey)}>
                  Rename
                </Button>
                <Button variant="default" size="compact-sm" aria-label={`Remove ${nameOf(passkey)}`} onClick={() => setRemoved(passkey)}>
                  Remove
                </Button>
              </Group>
            </Group>
          </List.Item>
        ))}
      </List>
      {renamed && (
        <FormDialog
          title="Rename passkey"
          action="Rename"
          onSubmit={({ name = '' }) => rename(renamed.id, name)}
          onClose={() => setRenamed(undefined)}
        >
          <TextInput label="Name" name="name" {...nameRule} maxLength={100} defaultValue={nameOf(renamed)} data-autofocus />
        </FormDialog>
      )}
      {removed && (
        <ConfirmDialog
          title={`Remove “${nameOf(removed)}”?`}
          action="Remove passkey"
          isDangerous
          onConfirm={() => remove(removed.id)}
          onClose={() => setRemoved(undefined)}
        >
          <Text>You won’t be able to sign in with it. Your password still works.</Text>
        </ConfirmDialog>
      )}
    </Section>
  );
}

const nameOf = (passkey: Passkey): string => passkey.name || 'Passkey';

/** The default name of a new passkey. */
function deviceName(): string {
  const system = /(Windows|Mac OS|Android|iPhone|iPad|Linux)/.exec(navigator.userAgent)?.[1];
  return system ? `Passkey on ${system}` : 'Passkey';
}
