import { Button, Group, PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import { NewPasswordInput } from '../../auth/auth-card.js';
import { authClient, orThrow } from '../../auth/auth-client.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { Section } from '../../ui/section.js';
import classes from './account-page.module.css';

export function PasswordPart() {
  const [isChanging, setIsChanging] = useState(false);
  const [notice, setNotice] = useState<string>();
  const change = async (currentPassword: string, newPassword: string) => {
    await orThrow(authClient.changePassword({ currentPassword, newPassword, revokeOtherSessions: true }));
    setNotice('Password changed. All other devices were signed out.');
  };
  return (
    <Section title="Password">
      <Group justify="space-between">
        <Text>Changing it signs out all other devices.</Text>
        <Button variant="default" onClick={() => setIsChanging(true)}>
          Change password
        </Button>
      </Group>
      <Text role="status" size="sm" className={classes.notice}>
        {notice}
      </Text>
      {isChanging && (
        <FormDialog
          title="Change password"
          action="Save password"
          onSubmit={({ current = '', next = '' }) => change(current, next)}
          onClose={() => setIsChanging(false)}
        >
          <PasswordInput label="Current password" name="current" autoComplete="current-password" required data-autofocus />
          <NewPasswordInput label="New password" name="next" />
        </FormDialog>
      )}
    </Section>
  );
}
