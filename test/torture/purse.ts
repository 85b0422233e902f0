import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/database/database.js';
import { TokenStore } from '../../src/tokens/token.store.js';

export interface Token {
  id: string;
  raw: string;
  accountId: string;
  balanceId: string;
}

/** Issues what the clients call with, as the command line and the console do. */
export class Purses {
  private readonly store: TokenStore;

  constructor(private readonly database: Database) {
    this.store = new TokenStore(database.dataSource);
  }

  /** A token of an account of its own, or another one of an account's balance. */
  async open(plan: 'trial' | 'paid', accountId = randomUUID() as string): Promise<Token> {
    const { token, rawToken } = await (plan === 'trial'
      ? this.store.issueTrial(accountId, plan)
      : this.store.issuePaidByOperator(accountId, plan));
    const { rows } = await this.database.pool.query<{ balance_id: string }>('select balance_id from api_token where id = $1', [token.id]);
    return { id: token.id, raw: rawToken, accountId, balanceId: rows[0]!.balance_id };
  }

  async revoke({ accountId }: Token, tokenId: string): Promise<void> {
    await this.store.revoke(accountId, tokenId);
  }
}
