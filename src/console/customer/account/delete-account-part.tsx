import { Button, Group, PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import { authClient, orThrow } from '../../auth/auth-client.js';
import type { SignedInUser } from '../../auth/use-signed-in-user.js';
import { leavePage } from '../../hooks/leave-page.js';
import { useAction } from '../../hooks/use-action.js';
import { paths } from '../../paths.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { ActionError } from '../../ui/failures.js';
import { Section } from '../../ui/section.js';

export function DeleteAccountPart({ user }: { user: SignedInUser }) {
  const [isDeleting, setIsDeleting] = useState(false);
  const deleteAccount = async (confirmation: { password?: string }) => {
    await orThrow(authClient.deleteUser(confirmation));
    await leavePage(() => window.location.assign(paths.accountDeleted));
  };
  const withPasskey = useAction(async () => {
    const signedIn = await orThrow(authClient.signIn.passkey());
    // A device may have passkeys for several accounts.
    if (signedIn?.user.id !== user.id) return window.location.reload();
    await deleteAccount({});
  });
  return (
    <Section title="Delete account">
      <Group justify="space-between">
        <Text maw="52ch">
          Your tokens stop working immediately, and your e-mail address and the list of your requests are erased. We keep the ledger for
          accounting, without your name. If you have a paid plan, cancel it first. It ends with your account, and you get a final invoice
          for any overage.
        </Text>
        <Button color="red.9" onClick={() => setIsDeleting(true)}>
          Delete account
        </Button>
      </Group>
      {isDeleting && (
        <FormDialog
          title="Delete your account?"
          action="Delete permanently"
          onSubmit={({ password = '' }) => deleteAccount({ password })}
          onClose={() => setIsDeleting(false)}
          isDangerous
          isBusy={withPasskey.isBusy}
        >
          <Text>This cannot be undone. Programs that use your tokens stop working immediately.</Text>
          <PasswordInput label="Your password" name="password" autoComplete="current-password" required data-autofocus />
          <ActionError error={withPasskey.error} />
          <Button variant="default" onClick={() => void withPasskey.run()} loading={withPasskey.isBusy}>
            Use a passkey instead
          </Button>
        </FormDialog>
      )}
    </Section>
  );
}
