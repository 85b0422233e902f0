import { NavLink, Text } from '@mantine/core';
import { useAction } from '../hooks/use-action.js';
import { paths } from '../paths.js';
import { leavePage } from '../shell/leave-page.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { authClient, orThrow } from './auth-client.js';

/** The entry of the menu that ends the session. If that fails, a dialog says so: somebody may be about to leave a shared device. */
export function SignOutEntry() {
  const { run, error, clearError } = useAction(signOut);
  return (
    <>
      <NavLink component="button" type="button" label="Sign out" onClick={() => void run()} />
      {error && (
        <ConfirmDialog title="You are still signed in" action="Try again" onConfirm={signOut} onClose={clearError}>
          <Text>The session could not be ended: {error.message}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}

/** Loads a new document afterwards, so that nothing of the account stays in memory. */
async function signOut(): Promise<void> {
  await orThrow(authClient.signOut());
  await leavePage(() => window.location.assign(paths.home));
}
