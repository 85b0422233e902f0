import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { validate as isUuid } from 'uuid';
import { type Context, requireToken } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { rejected } from './rejection.js';

/** Which token calls, and the balance that it draws on. Never changes; whether the token may read is decided anew each time. */
export interface TokenIdentity {
  tokenId: string;
  balanceId: string;
  accountId: string;
}

const maxKnownTokens = 100_000;

/** Finds tokens by their hash. What it remembers decides nothing: `spend` and `check_token` look at the token itself. */
export class TokenLookup {
  private readonly known = new LRUCache<string, TokenIdentity>({ max: maxKnownTokens });

  constructor(private readonly pool: Pool) {}

  /**
   * The token that calls; for a session, the one of its account that it names, so that it needs no raw value.
   * @throws AppError missing, invalid; not_found for what is no token of the session's account
   */
  async ofCaller(context: Context, tokenId: string | null = null): Promise<TokenIdentity> {
    const { principal } = context;
    if (principal.kind !== 'user') return this.find(requireToken(context));
    const { rows } = await this.pool.query<TokenIdentity>(
      `select id as "tokenId", balance_id as "balanceId", account_id as "accountId" from api_token where id = $1 and account_id = $2`,
      [isUuid(tokenId) ? tokenId : null, principal.user.id],
    );
    if (!rows[0]) throw new AppError('not_found', 'There is no such token in this account.');
    return rows[0];
  }

  /** @throws AppError invalid for a token that was never issued */
  private async find(tokenHash: string): Promise<TokenIdentity> {
    const known = this.known.get(tokenHash);
    if (known) return known;
    const { rows } = await this.pool.query<TokenIdentity>({
      name: 'find_token',
      text: `select token_id as "tokenId", balance_id as "balanceId", account_id as "accountId" from token_lookup where token_hash = $1`,
      values: [Buffer.from(tokenHash, 'base64')],
    });
    if (!rows[0]) throw rejected('invalid');
    this.known.set(tokenHash, rows[0]);
    return rows[0];
  }
}
