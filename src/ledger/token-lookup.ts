import { isUUID as isUuid } from 'class-validator';
import { LRUCache } from 'lru-cache';
import type { Pool, PoolClient } from 'pg';
import { type Context, requireToken } from '../core/context.js';
import { AppError } from '../core/errors.js';
import { rejected } from './rejection.js';

/** The calling token and its balance. This never changes; whether the token may read is decided at each call. */
export interface TokenIdentity {
  tokenId: string;
  balanceId: string;
  accountId: string;
}

const maxKnownTokens = 100_000;

const columns = `token_id as "tokenId", balance_id as "balanceId", account_id as "accountId" from token_lookup`;

/** Finds tokens by their hash. Its cache authorizes nothing: `spend` and `check_token` check the token itself. */
export class TokenLookup {
  private readonly cache = new LRUCache<string, TokenIdentity>({ max: maxKnownTokens });

  constructor(private readonly pool: Pool) {}

  /**
   * The calling token; for a session, the named token of its account, without its raw value.
   * @throws AppError missing, invalid; not_found if the session's account has no such token
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

  /** The token, if this server has it in its cache. */
  known(tokenHash: string): TokenIdentity | undefined {
    return this.cache.get(tokenHash);
  }

  /** Tokens by their hashes, without those that were never issued. */
  async findAll(db: PoolClient, tokenHashes: Set<string>): Promise<Map<string, TokenIdentity>> {
    const { rows } = await db.query<TokenIdentity & { hash: Buffer }>(`select token_hash as hash, ${columns} where token_hash = any($1)`, [
      [...tokenHashes].map((hash) => Buffer.from(hash, 'base64')),
    ]);
    return new Map(rows.map(({ hash, ...token }) => [hash.toString('base64'), token]));
  }

  /** @throws AppError invalid for a token that was never issued */
  private async find(tokenHash: string): Promise<TokenIdentity> {
    const known = this.known(tokenHash);
    if (known) return known;
    const { rows } = await this.pool.query<TokenIdentity>({
      name: 'find_token',
      text: `select ${columns} where token_hash = $1`,
      values: [Buffer.from(tokenHash, 'base64')],
    });
    if (!rows[0]) throw rejected('invalid');
    this.cache.set(tokenHash, rows[0]);
    return rows[0];
  }
}
