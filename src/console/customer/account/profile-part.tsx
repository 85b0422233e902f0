import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { authClient, orThrow } from '../../auth/auth-client.js';
import type { SignedInUser } from '../../auth/use-signed-in-user.js';
import { nameRule } from '../../format/format.js';
import { useAction } from '../../hooks/use-action.js';
import { paths } from '../../paths.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { ActionError } from '../../ui/failures.js';
import { Section } from '../../ui/section.js';
import { StateBadge } from '../../ui/state-badge.js';
import classes from './account-page.module.css';

/** Name and address. A new address takes effect when its link is opened. A verified old address has to confirm the change first. */
export function ProfilePart({ user }: { user: SignedInUser }) {
  const [editing, setEditing] = useState<'name' | 'email'>();
  const [notice, setNotice] = useState<string>();
  const sendVerification = useAction(async () => {
    await orThrow(authClient.sendVerificationEmail({ email: user.email, callbackURL: paths.addressVerified }));
    setNotice(`We sent a link to ${user.email}.`);
  });
  const rename = async (name: string) => {
    await orThrow(authClient.updateUser({ name }));
    setNotice('Name changed.');
  };
  const changeEmail = async (newEmail: string) => {
    await orThrow(authClient.changeEmail({ newEmail }));
    setNotice(
      user.emailVerified
        ? `Open the link we sent to ${user.email}, then the one we send to ${newEmail}. Your email changes after both.`
        : `Open the link we sent to ${newEmail} to finish the change.`,
    );
  };

  return (
    <Section title="Profile">
      <Stack gap="sm">
        <Group justify="space-between">
          <div>
            <Text size="sm" c="dimmed">
              Name
            </Text>
            <Text>{user.name}</Text>
          </div>
          <Button variant="default" onClick={() => setEditing('name')}>
            Change name
          </Button>
        </Group>
        <Group justify="space-between">
          <div>
            <Text size="sm" c="dimmed">
              E-mail address
            </Text>
            <Group gap="xs">
              <Text>{user.email}</Text>
              {user.emailVerified ? <StateBadge state="verified" tone="good" /> : <StateBadge state="not verified" tone="warning" />}
            </Group>
          </div>
          <Group gap="sm">
            {!user.emailVerified && (
              <Button variant="default" loading={sendVerification.isBusy} onClick={() => void sendVerification.run()}>
                Resend link
              </Button>
            )}
            <Button variant="default" onClick={() => setEditing('email')}>
              Change address
            </Button>
          </Group>
        </Group>
        <ActionError error={sendVerification.error} />
      </Stack>
      <Text role="status" size="sm" className={classes.notice}>
        {notice}
      </Text>
      {editing === 'name' && (
        <FormDialog title="Change name" action="Save name" onSubmit={({ name = '' }) => rename(name)} onClose={() => setEditing(undefined)}>
          <TextInput label="Name" name="name" {...nameRule} maxLength={200} defaultValue={user.name} data-autofocus />
        </FormDialog>
      )}
      {editing === 'email' && (
        <FormDialog
          title="Change address"
          action="Send the link"
          onSubmit={({ email = '' }) => changeEmail(email)}
          onClose={() => setEditing(undefined)}
        >
          <TextInput label="New e-mail address" name="email" type="email" autoComplete="email" required data-autofocus />
        </FormDialog>
      )}
    </Section>
  );
}
