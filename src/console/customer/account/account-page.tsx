import { Stack } from '@mantine/core';
import type { SignedInUser } from '../../auth/use-signed-in-user.js';
import { Page } from '../../shell/page.js';
import { DeleteAccountPart } from './delete-account-part.js';
import { PasskeysPart } from './passkeys-part.js';
import { PasswordPart } from './password-part.js';
import { ProfilePart } from './profile-part.js';
import { SessionsPart } from './sessions-part.js';

export default function AccountPage({ user }: { user: SignedInUser }) {
  return (
    <Page title="Account">
      <Stack gap={40} maw={760}>
        <ProfilePart user={user} />
        <PasswordPart />
        <PasskeysPart />
        <SessionsPart />
        <DeleteAccountPart user={user} />
      </Stack>
    </Page>
  );
}
