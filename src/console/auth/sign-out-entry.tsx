import { NavLink, Text } from '@mantine/core';
import { leavePage } from '../hooks/leave-page.js';
import { useAction } from '../hooks/use-action.js';
import { paths } from '../paths.js';
import { ConfirmDialog } from '../ui/dialogs/confirm-dialog.js';
import { callAuth } from './use-signed-in-user.js';

/** The menu entry that ends the session. If that fails, a dialog says so: the user may be leaving a shared device. */
export function SignOutEntry() {
  const { run, error, clearError } = useAction(signOut);
  return (
    <>
      <NavLink component="button" type="button" label="Sign out" onClick={() => void run()} />
      {error && (
        <ConfirmDialog title="You are still signed in" action="Try again" onConfirm={signOut} onClose={clearError}>
          <Text>Signing out failed: {error.message}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}

/** Loads a new document afterwards, so that no data of the account stays in memory. */
async function signOut(): Promise<void> {
  await callAuth((client) => client.signOut());
  await leavePage(() => window.location.assign(paths.home));
}
