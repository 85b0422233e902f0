import type { DataSource } from 'typeorm';
import { PasskeyEntity } from './passkey.entity.js';

/** The account, as its passkeys name it. */
export const handleOf = (accountId: string): string => Buffer.from(accountId).toString('base64url');

/** What better-auth does not keep or ask of passkeys. */
export class PasskeyStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Who owns the passkey that a device names; null if there is none. */
  async ownerOf(credentialID: string): Promise<string | null> {
    const passkey = await this.dataSource.getRepository(PasskeyEntity).findOneBy({ credentialID });
    return passkey?.userId ?? null;
  }

  /** Notes that a passkey was made with the handle of its account. */
  async keepHandle({ id, userId }: { id: string; userId: string }): Promise<void> {
    await this.dataSource.getRepository(PasskeyEntity).update({ id }, { userHandle: handleOf(userId) });
  }

  /** Whether a passkey that there is may present itself as that of this handle: it is its own, or its own is unknown. */
  async mayHaveHandle(credentialID: string, userHandle: string): Promise<boolean> {
    const passkey = await this.dataSource.getRepository(PasskeyEntity).findOneBy({ credentialID });
    return passkey?.userHandle === null || passkey?.userHandle === userHandle;
  }
}
