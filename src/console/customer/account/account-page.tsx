import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { NewPasswordInput } from '../../auth/auth-card.js';
import { authClient, orThrow } from '../../auth/auth-client.js';
import type { SignedInUser } from '../../auth/use-signed-in-user.js';
import { nameRule } from '../../format.js';
import { leavePage } from '../../hooks/leave-page.js';
import { useAction } from '../../hooks/use-action.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { DialogButton, FormDialog } from '../../ui/dialogs.js';
import { ActionButton, ActionError, Section, StateBadge } from '../../ui/parts.js';
import { PasskeysPart, SessionsPart } from './sign-in-parts.js';

export default function AccountPage({ user }: { user: SignedInUser }) {
  return (
    <Page title="Account">
      <Stack gap={40} maw={760}>
        <ProfilePart user={user} />
        <PasswordPart />
        <PasskeysPart />
        <SessionsPart />
        <Section title="Delete account">
          <Group justify="space-between">
            <Text maw="52ch">
              Your tokens stop working immediately, and your email address and the list of your requests are erased. We keep the ledger for
              accounting, without your name. If you have a paid plan, cancel it first. It ends with your account, and you get a final
              invoice for any overage.
            </Text>
            <DialogButton label="Delete account" variant="filled" color="red.9">
              <DeleteAccountDialog user={user} />
            </DialogButton>
          </Group>
        </Section>
      </Stack>
    </Page>
  );
}

/** Name and address. A new address takes effect when its link is opened. A verified old address has to confirm the change first. */
function ProfilePart({ user }: { user: SignedInUser }) {
  const [notice, setNotice] = useState<string>();
  const sendVerification = async () => {
    await orThrow(authClient.sendVerificationEmail({ email: user.email, callbackURL: paths.addressVerified }));
    setNotice(`We sent a link to ${user.email}.`);
  };
  const rename = async ({ name = '' }) => {
    await orThrow(authClient.updateUser({ name }));
    setNotice('Name changed.');
  };
  const changeEmail = async ({ email = '' }) => {
    await orThrow(authClient.changeEmail({ newEmail: email }));
    setNotice(
      user.emailVerified
        ? `Open the link we sent to ${user.email}, then the one we send to ${email}. Your email changes after both.`
        : `Open the link we sent to ${email} to finish the change.`,
    );
  };
  return (
    <Section title="Profile">
      <Stack gap="sm">
        <Group justify="space-between">
          <Named name="Name">
            <Text>{user.name}</Text>
          </Named>
          <DialogButton label="Change name">
            <FormDialog title="Change name" action="Save name" onSubmit={rename}>
              <TextInput label="Name" name="name" {...nameRule} maxLength={200} defaultValue={user.name} data-autofocus />
            </FormDialog>
          </DialogButton>
        </Group>
        <Group justify="space-between">
          <Named name="Email address">
            <Text>{user.email}</Text>
            <StateBadge state={user.emailVerified ? 'verified' : 'not verified'} />
          </Named>
          <Group gap="sm">
            {!user.emailVerified && (
              <ActionButton size="sm" act={sendVerification}>
                Resend link
              </ActionButton>
            )}
            <DialogButton label="Change address">
              <FormDialog title="Change address" action="Send the link" onSubmit={changeEmail}>
                <TextInput label="New email address" name="email" type="email" autoComplete="email" required data-autofocus />
              </FormDialog>
            </DialogButton>
          </Group>
        </Group>
      </Stack>
      <Notice>{notice}</Notice>
    </Section>
  );
}

const Named = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <Text size="sm" c="dimmed">
      {name}
    </Text>
    <Group gap="xs">{children}</Group>
  </div>
);

const Notice = ({ children }: { children: ReactNode }) => (
  <Text role="status" size="sm" mt={children ? 'sm' : 0}>
    {children}
  </Text>
);

function PasswordPart() {
  const [notice, setNotice] = useState<string>();
  const change = async ({ current = '', next = '' }) => {
    await orThrow(authClient.changePassword({ currentPassword: current, newPassword: next, revokeOtherSessions: true }));
    setNotice('Password changed. All other devices were signed out.');
  };
  return (
    <Section title="Password">
      <Group justify="space-between">
        <Text>Changing it signs out all other devices.</Text>
        <DialogButton label="Change password">
          <FormDialog title="Change password" action="Save password" onSubmit={change}>
            <PasswordInput label="Current password" name="current" autoComplete="current-password" required data-autofocus />
            <NewPasswordInput label="New password" name="next" />
          </FormDialog>
        </DialogButton>
      </Group>
      <Notice>{notice}</Notice>
    </Section>
  );
}

function DeleteAccountDialog({ user }: { user: SignedInUser }) {
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
    <FormDialog
      title="Delete your account?"
      action="Delete permanently"
      onSubmit={({ password = '' }) => deleteAccount({ password })}
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
  );
}
