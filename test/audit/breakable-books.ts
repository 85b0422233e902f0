import type { Pool } from 'pg';
import { typeParsers } from '../../src/database/database.js';
import { adjustment } from '../harness/adjustment.js';
import { createTestDatabase, openPool, type TestDatabase } from '../harness/database.js';
import { publishRecords } from '../harness/records.js';

export const middlesex = '25017';

/** Does what neither the service nor the owner of its tables may do: no trigger and no foreign key stands in the way. */
export const breakBooks = (db: TestDatabase, sql: string) =>
  db.query(`begin; set local session_replication_role = replica; ${sql}; commit`);

/** Keeps the rows of these tables. @returns puts them back */
export async function saveTables(db: TestDatabase, tables: string[]): Promise<() => Promise<unknown>> {
  await db.query('drop schema if exists saved cascade; create schema saved');
  for (const table of tables) await db.query(`create table saved.${table} as table ${table}`);
  return () =>
    breakBooks(
      db,
      tables.map((table) => `delete from ${table}; insert into ${table} overriding system value table saved.${table}`).join(';'),
    );
}

/** SQL that changes entries of a balance, and hashes its chain anew: what a forger does who knows how entries are chained. */
export const forgery = (balanceId: string, assignments: string, where: string) =>
  `update ledger_entry set ${assignments} where balance_id = '${balanceId}' and ${where}; select chain_anew('${balanceId}')`;

const chainAnew = `
  create function chain_anew(p_balance_id uuid) returns void language plpgsql as $$
  declare e ledger_entry; v_hash bytea := decode(repeat('00', 32), 'hex');
  begin
    for e in select * from ledger_entry where balance_id = p_balance_id order by sequence loop
      e.previous_hash := v_hash;
      v_hash := entry_hash(e);
      update ledger_entry set previous_hash = e.previous_hash, hash = v_hash where balance_id = e.balance_id and sequence = e.sequence;
      update credit_balance set chain_head = v_hash, entry_count = e.sequence, last_entry_at = e.at, remaining = e.balance_after, overage_records = e.overage_after
       where id = e.balance_id;
    end loop;
  end $$`;

export interface Holder {
  balanceId: string;
  tokenId: string;
}

/** Good books, for tests that break them. */
export class BreakableBooks {
  /** Has a metered balance with reads, one of them repeated and one taken back, overage that is billed, an adjustment and a capped token. */
  bob!: Holder;
  /** Has a trial with a read of three records. */
  ann!: Holder;
  private requests = 0;

  private constructor(
    readonly db: TestDatabase,
    readonly pool: Pool,
    readonly releaseId: number,
  ) {}

  static async open(): Promise<BreakableBooks> {
    const db = await createTestDatabase();
    const books = new BreakableBooks(db, openPool(db, { types: typeParsers }), await publishRecords(db, middlesex, 30));
    await db.query(chainAnew);
    await db.query(`
      select add_token(b.id, 'bob', 'paid', sha256('bob'), service_now())
        from open_subscription_balance('bob', 10, 5, service_now(), service_now(), service_now() + interval '1 month', null) as b (id)`);
    await db.query(`select issue_trial('ann', 'trial', sha256('ann 1'), 50, interval '30 days')`);
    const holders = await db.query<Holder>(
      `select token_id as "tokenId", balance_id as "balanceId" from token_lookup order by account_id = 'bob'`,
    );
    const [ann, bob] = holders as [Holder, Holder];
    Object.assign(books, { ann, bob });
    await books.spend(ann, 3);
    await books.spend(bob, 4);
    await books.spend(bob, 2, 'a key');
    await books.spend(bob, 2, 'a key');
    await books.spend(bob, 9);
    await db.query(`select reverse_entry($1, $2, 'not delivered', null)`, [bob.balanceId, await books.spend(bob, 5)]);
    await db.query(adjustment(bob.balanceId, 3));
    await db.query('select cap_token($1, $2, 90)', [bob.balanceId, bob.tokenId]);
    await db.query(`insert into billing_customer (account_id, stripe_customer_id) values ('bob', 'cus_bob')`);
    await db.query(
      `insert into subscription (id, account_id, stripe_customer_id, status, balance_id, period_start, period_end, created_at)
       select 'sub_bob', 'bob', 'cus_bob', 'active', id, period_start, period_end, period_start from credit_balance where id = $1`,
      [bob.balanceId],
    );
    await db.query(`
      insert into overage_item (balance_id, period_start, period_end, stripe_customer_id, number, records, unit_cents, way, state)
      select d.balance_id, d.period_start, d.period_end, 'cus_bob', 1, d.records, d.unit_cents, 'draft', 'billed' from overage_due('cus_bob') d`);
    await db.query('delete from overage_change');
    return books;
  }

  /** A read that is delivered. @returns its entry */
  async spend({ balanceId, tokenId }: Holder, records: number, key: string | null = null): Promise<string> {
    const [spent] = await this.db.query<{ entry_id: string }>(
      `select entry_id from spend(array[$1::uuid], array[$2::uuid], array[(select version from coverage_version)], array[$3], array[$4],
                                  array[$5], array[$6], array[sha256('same')], true)`,
      [balanceId, tokenId, `{${this.releaseId},1,${records}}`, middlesex, `request ${++this.requests}`, key],
    );
    await this.db.query('delete from undelivered_read');
    return spent!.entry_id;
  }
}
