import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/database/database.js';
import { TokenStore } from '../../src/tokens/token.store.js';

export interface Token {
  id: string;
  raw: string;
  purse: Purse;
}

/** An account with one balance and as many tokens of it as are wanted. */
export interface Purse {
  accountId: string;
  balanceId: string;
}

/** Issues what the clients call with, as the command line and the console do. */
export class Purses {
  private readonly store: TokenStore;

  constructor(private readonly database: Database) {
    this.store = new TokenStore(database.dataSource);
  }

  async open(plan: 'trial' | 'paid'): Promise<Token> {
    const accountId = randomUUID();
    const { token, rawToken } = await (plan === 'trial'
      ? this.store.issueTrial(accountId, plan)
      : this.store.issuePaidByOperator(accountId, plan));
    const { rows } = await this.database.pool.query<{ balance_id: string }>('select balance_id from api_token where id = $1', [token.id]);
    return { id: token.id, raw: rawToken, purse: { accountId, balanceId: rows[0]!.balance_id } };
  }

  /** Another token of the same balance. */
  async another(purse: Purse): Promise<Token> {
    const { token, rawToken } = await this.store.issuePaidByOperator(purse.accountId, 'another');
    return { id: token.id, raw: rawToken, purse };
  }

  async revoke({ accountId }: Purse, tokenId: string): Promise<void> {
    await this.store.revoke(accountId, tokenId);
  }
}
