import { type EntityManager, In, IsNull, Not } from 'typeorm';
import { ApiTokenEntity } from '../ledger/api-token.entity.js';
import type { ApiToken } from './token.js';
import { rejectionOf, selectTokens } from './token.store.js';

/** A token as its owner recognizes it. */
export type ListedToken = Pick<ApiToken, 'id' | 'name' | 'plan' | 'issuedAt' | 'lastUsedAt'>;

// The size of a page in the console.
const maxListed = 500;

/** Revokes the tokens of an account except `exceptIds`. Call it in the transaction that closes or recovers the account. */
export async function revokeTokensOf(manager: EntityManager, accountId: string, exceptIds: string[] = []): Promise<void> {
  const others = exceptIds.length > 0 ? { id: Not(In(exceptIds)) } : {};
  await manager.update(ApiTokenEntity, { accountId, revokedAt: IsNull(), ...others }, { revokedAt: () => 'service_now()' });
}

/** The tokens of an account that are neither revoked nor expired, newest first. */
export async function listUsableTokens(manager: EntityManager, accountId: string): Promise<ListedToken[]> {
  const tokens = await selectTokens(manager)
    .where(`t.accountId = :accountId and coalesce(${rejectionOf}, 'active') not in ('revoked', 'expired')`, { accountId })
    .orderBy({ 't.issuedAt': 'DESC', 't.id': 'ASC' })
    .limit(maxListed)
    .getRawMany<ApiToken>();
  return tokens.map(({ id, name, plan, issuedAt, lastUsedAt }) => ({ id, name, plan, issuedAt, lastUsedAt }));
}
