import type { Pool } from 'pg';
import { usd } from '../../ledger/money.js';
import type { AccountCharge } from './account-charge.js';

type ChargeRow = Omit<AccountCharge, 'amountUsd' | 'refundedUsd'> & { amountCents: string; refundedCents: string };

export class AccountChargeStore {
  constructor(private readonly pool: Pool) {}

  /** The payments of an account that were refunded or disputed, newest first. */
  async ofAccount(accountId: string): Promise<AccountCharge[]> {
    const { rows } = await this.pool.query<ChargeRow>(
      `select id, amount_cents as "amountCents", refunded_cents as "refundedCents", is_disputed as "isDisputed", created_at as "createdAt"
         from billing_charge
        where account_id = $1
        order by created_at desc, id limit 20`,
      [accountId],
    );
    return rows.map(({ amountCents, refundedCents, ...charge }) => ({
      ...charge,
      amountUsd: usd(BigInt(amountCents)),
      refundedUsd: usd(BigInt(refundedCents)),
    }));
  }
}
