import { isUUID as isUuid } from 'class-validator';
import type { DataSource } from 'typeorm';
import { AppError } from '../core/errors.js';
import type { Reason } from '../core/reason.js';
import { ApiTokenEntity } from '../ledger/api-token.entity.js';
import { recordAction } from '../operator-log/record-action.js';
import type { ApiToken } from './token.js';
import { selectTokens } from './token.store.js';

/** Revokes any account's token for an operator, and writes it to the activity log. */
export class RevokeAnyToken {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws AppError not_found */
  async run(actor: string, id: string, reason: Reason): Promise<ApiToken> {
    return this.dataSource.transaction(async (manager) => {
      const lock = { mode: 'pessimistic_write' } as const;
      const token = isUuid(id) ? await manager.findOne(ApiTokenEntity, { where: { id }, lock }) : null;
      if (!token) throw new AppError('not_found', 'There is no such token.');
      const query = selectTokens(manager).where('t.balanceId = :balanceId and t.id = :id', token);
      const before = (await query.getRawOne<ApiToken>())!;
      await manager.update(ApiTokenEntity, { balanceId: token.balanceId, id }, { revokedAt: () => 'coalesce(revoked_at, service_now())' });
      const after = (await query.getRawOne<ApiToken>())!;
      const state = ({ state, revokedAt }: ApiToken) => ({ state, revokedAt });
      await recordAction(manager, { actor, action: 'revoke token', target: id, reason, before: state(before), after: state(after) });
      return after;
    });
  }
}
