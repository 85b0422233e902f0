import { type EntityManager, IsNull } from 'typeorm';
import { ApiTokenEntity } from '../ledger/spending/api-token.entity.js';

/** Revokes every token of an account, at once; belongs into the transaction that closes the account. */
export async function revokeTokensOf(manager: EntityManager, accountId: string): Promise<void> {
  await manager.update(ApiTokenEntity, { accountId, revokedAt: IsNull() }, { revokedAt: () => 'service_now()' });
}
