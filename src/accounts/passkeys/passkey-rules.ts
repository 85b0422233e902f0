import type { PasskeyOptions } from '@better-auth/passkey';
import { APIError } from 'better-auth/api';
import type { PasskeyStore } from './passkey.store.js';

/** Said to better-auth with a new passkey's options: that their user handle is the account's, not one that better-auth has made up. */
export const ownHandle = 'handle of the account';

/** What better-auth's passkeys do not check: that a device presents a passkey as that of its owner. */
export const passkeyRules = (passkeys: PasskeyStore): Pick<PasskeyOptions, 'registration' | 'authentication'> => ({
  registration: {
    async afterVerification({ context }) {
      // A server of a former version has made the options, with a handle that nobody knows any more.
      if (context !== ownHandle) throw new APIError('BAD_REQUEST', { code: 'CHALLENGE_NOT_FOUND', message: 'Challenge not found' });
    },
  },
  authentication: {
    async afterVerification({ clientData: { id, response } }) {
      if (response.userHandle === undefined || (await passkeys.mayHaveHandle(id, response.userHandle))) return;
      throw new APIError('UNAUTHORIZED', { code: 'AUTHENTICATION_FAILED', message: 'Authentication failed' });
    },
  },
});
