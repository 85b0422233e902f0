import type { DataSource } from 'typeorm';
import { PasskeyEntity } from '../identity/passkey.entity.js';

/** The user handle of an account's passkeys. */
export const handleOf = (accountId: string): string => Buffer.from(accountId).toString('base64url');

/** Queries on passkeys that better-auth lacks. */
export class PasskeyStore {
  constructor(private readonly dataSource: DataSource) {}

  /** The id of the account that owns a passkey, or null. */
  async ownerOf(credentialID: string): Promise<string | null> {
    const passkey = await this.dataSource.getRepository(PasskeyEntity).findOneBy({ credentialID });
    return passkey?.userId ?? null;
  }

  /** Stores that a passkey was made with the handle of its account. */
  async keepHandle({ id, userId }: { id: string; userId: string }): Promise<void> {
    await this.dataSource.getRepository(PasskeyEntity).update({ id }, { userHandle: handleOf(userId) });
  }

  /** Whether a passkey exists and its handle is this one or unknown. */
  async mayHaveHandle(credentialID: string, userHandle: string): Promise<boolean> {
    const passkey = await this.dataSource.getRepository(PasskeyEntity).findOneBy({ credentialID });
    return passkey?.userHandle === null || passkey?.userHandle === userHandle;
  }
}
