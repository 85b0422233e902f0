import type { PasskeyOptions } from '@better-auth/passkey';
import { APIError } from 'better-auth/api';
import type { PasskeyStore } from './passkey.store.js';

/** The context of a registration whose options have the account's user handle, not the random one of better-auth. */
export const accountHandleContext = 'handle of the account';

/** Checks that better-auth lacks: a device must present a passkey with its owner's user handle. */
export const passkeyRules = (passkeys: PasskeyStore): Pick<PasskeyOptions, 'registration' | 'authentication'> => ({
  registration: {
    async afterVerification({ context }) {
      // A server of an earlier version made the options, with a random handle that was not stored.
      if (context !== accountHandleContext)
        throw new APIError('BAD_REQUEST', { code: 'CHALLENGE_NOT_FOUND', message: 'Challenge not found' });
    },
  },
  authentication: {
    async afterVerification({ clientData: { id, response } }) {
      if (response.userHandle === undefined || (await passkeys.mayHaveHandle(id, response.userHandle))) return;
      throw new APIError('UNAUTHORIZED', { code: 'AUTHENTICATION_FAILED', message: 'Authentication failed' });
    },
  },
});
