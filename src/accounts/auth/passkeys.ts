import type { PasskeyOptions } from '@better-auth/passkey';
import { APIError } from 'better-auth/api';
import type { DataSource } from 'typeorm';

/** The user handle that a device stores with a passkey of the account. better-auth would make a random one and not keep it. */
export const handleOf = (accountId: string): string => Buffer.from(accountId).toString('base64url');

/** Adds two checks to better-auth: passkeys are looked up before a sign-in, and a device must present its owner's user handle, if any. */
export class Passkeys {
  constructor(private readonly dataSource: DataSource) {}

  /** The id of the account that owns a passkey, or null. */
  async ownerOf(credentialId: string): Promise<string | null> {
    const [passkey] = await this.dataSource.query<{ userId: string }[]>('select "userId" from auth.passkey where "credentialID" = $1', [
      credentialId,
    ]);
    return passkey?.userId ?? null;
  }

  // better-auth does not look whether the device verified its user by PIN, finger or face.
  readonly registration: PasskeyOptions['registration'] = {
    afterVerification: async ({ verification }) => {
      if (verification.registrationInfo?.userVerified) return;
      throw new APIError('BAD_REQUEST', { code: 'FAILED_TO_VERIFY_REGISTRATION', message: 'The device did not verify its user' });
    },
  };

  readonly authentication: PasskeyOptions['authentication'] = {
    afterVerification: async ({ verification, clientData: { id, response } }) => {
      const ownerId = await this.ownerOf(id);
      if (verification.authenticationInfo.userVerified && isOwners(ownerId, response.userHandle)) return;
      throw new APIError('UNAUTHORIZED', { code: 'AUTHENTICATION_FAILED', message: 'Authentication failed' });
    },
  };
}

const isOwners = (ownerId: string | null, userHandle?: string): boolean =>
  userHandle === undefined || (ownerId !== null && userHandle === handleOf(ownerId));
