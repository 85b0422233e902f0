import { isUUID as isUuid } from 'class-validator';
import type { Pool } from 'pg';
import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'Entries of a balance as lines of JSON, oldest first, with all that their hashes cover: see schema/ledger.md.' })
export class LedgerExport {
  @Field()
  text: string;

  @Field(() => Int)
  rows: number;

  @Field(() => Int, { nullable: true, description: 'Further entries may be after this sequence; null: there are none.' })
  next: number | null;
}

/** An entry `e` of ledger_entry as a line of the export. Postgres writes it: Date has no microseconds, and Number no bigint. */
export const ledgerLineSql = `
  row_to_json((select line from (select
    1 as hash_version, e.balance_id, e.sequence, e.id, e.token_id, e.kind, (extract(epoch from e.at) * 1000000)::bigint as at,
    e.records, e.credits, e.overage_records, e.overage_cents, e.balance_after, e.overage_after,
    (extract(epoch from e.period_start) * 1000000)::bigint as period_start, e.segments, e.county_fips, e.attempt, e.reverses, e.repeats,
    encode(e.request_hash, 'hex') as request_hash, e.request_id, e.idempotency_key, e.reason, e.actor,
    encode(e.previous_hash, 'hex') as previous_hash, encode(e.hash, 'hex') as hash) line))::text`;

/** The ledger of a balance as a file that can be checked without us: see schema/ledger.md. */
export class LedgerExportStore {
  constructor(private readonly pool: Pool) {}

  /**
   * The entries after a sequence, oldest first; null: there is no such balance.
   * @param accountId the balance's owner; null: any account
   */
  async page(accountId: string | null, balanceId: string, after: number, limit: number): Promise<LedgerExport | null> {
    if (!isUuid(balanceId)) return null;
    const { rows } = await this.pool.query<{ line: string | null; sequence: number | null }>(
      `select e.sequence, e.line
         from credit_balance b
         left join lateral (
           select e.sequence, ${ledgerLineSql} as line from ledger_entry e
            where e.balance_id = b.id and e.sequence > $3 order by e.sequence limit $4
         ) e on true
        where b.id = $1 and ($2::text is null or b.account_id = $2)
        order by e.sequence`,
      [balanceId, accountId, after, limit],
    );
    if (rows.length === 0) return null;
    const lines = rows.filter(({ sequence }) => sequence !== null);
    return {
      text: lines.map(({ line }) => `${line}\n`).join(''),
      rows: lines.length,
      next: lines.length === limit ? lines.at(-1)!.sequence : null,
    };
  }
}
