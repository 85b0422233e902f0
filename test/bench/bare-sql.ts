import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { type Contender, inParallel } from './contender.js';
import { firstOrdinal, type Pages, type Stock } from './pages.js';

/**
 * The statements that a metered read is made of, one after the other for each read, as prepared statements on as many
 * connections as the service has: neither its joint spends nor its page cache help here.
 */
export function bareSql(name: string, pool: Pool, tokenOf: (loop: number) => Buffer, pages: Pages, stock: Stock): Contender {
  const readOnce = async (tokenHash: Buffer, first: number, limit: number) => {
    const requestId = randomUUID();
    await pool.query({
      name: 'bench_spend',
      text: `select s.*
               from token_lookup t
              cross join lateral spend(array[t.balance_id], array[t.token_id], array[(select version from coverage_version)], array[$2], array[null],
                                        array[$3], array[null], array[null]::bytea[], true) s
              where t.token_hash = $1`,
      values: [tokenHash, `{${stock.releaseId},${first},${limit}}`, requestId],
    });
    await pool.query({
      name: 'bench_read_segment',
      text: `select count(*)::integer as count, string_agg(record, ',' order by ordinal) as text
               from parcel where release_id = $1 and ordinal between $2 and $3
              group by (ordinal - $2) / 100
              order by (ordinal - $2) / 100`,
      values: [stock.releaseId, first, first + limit - 1],
    });
    await pool.query({
      name: 'bench_claim',
      text: 'delete from undelivered_read u using token_lookup t where t.token_hash = $1 and u.balance_id = t.balance_id and u.request_id = $2',
      values: [tokenHash, requestId],
    });
  };
  return {
    name,
    read: (limit, times) => inParallel(times, (loop) => readOnce(tokenOf(loop), firstOrdinal(pages, stock, limit, loop), limit)),
  };
}
