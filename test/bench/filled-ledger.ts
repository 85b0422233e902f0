import type { ClientBase, Pool } from 'pg';
import { ask } from '../../src/database/long-reads.js';
import { newTokenSecret } from '../../src/tokens/token-secret.js';

export const historyDays = 90;
/** A third of all entries are of this account. */
export const largeAccount = 'large';
const smallAccount = 'small';
const smallAccounts = 200;
/** One read of so many is of the rare county. */
const rareEvery = 1000;

export interface Stocked {
  releaseId: number;
  fips: string;
}

/**
 * Opens a balance with one token for each customer, at the beginning of the history: until then, the service's clock is set back.
 * @returns the raw tokens of the small customers
 */
export async function openBalances(pool: Pool): Promise<string[]> {
  const secrets = Array.from({ length: smallAccounts + 1 }, () => newTokenSecret('paid'));
  return withoutLimits(pool, async (db) => {
    const [clock] = await ask<{ definition: string }>(db, `select pg_get_functiondef('service_now'::regproc) as definition`);
    await db.query(`create or replace function service_now() returns timestamptz language plpgsql stable parallel safe as $$
                    begin return clock_timestamp() - interval '${historyDays} days'; end $$`);
    await ask(
      db,
      `select add_token(
         open_balance(a.id, 'paid', 100000000, 5, n.now, n.now, n.now + interval '1 year', null, null, false), a.id, 'bench', a.hash, n.now)
         from (select service_now() as now) n,
              (select case n when 1 then '${largeAccount}' else '${smallAccount} ' || n end as id, hash
                 from unnest($1::bytea[]) with ordinality h (hash, n)) a`,
      [secrets.map(({ hash }) => hash)],
    );
    await db.query(clock!.definition);
    return secrets.slice(1).map(({ raw }) => raw);
  });
}

/**
 * Appends reads of 25 records to all balances, as `spend` would have written them over these days. Whether each hash
 * and sum is right, the audit says.
 */
export async function appendReads(
  pool: Pool,
  entries: number,
  days: { from: number; to: number },
  [main, rare]: [Stocked, Stocked],
): Promise<void> {
  await withoutLimits(pool, async (db) => {
    const span = days.from - days.to;
    const parts = Math.max(1, Math.ceil(span));
    for (let part = 0; part < parts; part++) {
      const [from, to] = [part, part + 1].map((n) => `${days.from - (span * n) / parts} days`);
      for (const [accounts, reads] of [
        [largeAccount, entries / 3],
        [`${smallAccount} %`, (entries * 2) / 3 / smallAccounts],
      ] as const) {
        const [first, last] = [part, part + 1].map((n) => Math.round((reads * n) / parts));
        await ask(db, readsOfDays, [last! - first!, from, to, main.releaseId, main.fips, rare.releaseId, rare.fips, accounts]);
      }
    }
    await ask(db, 'vacuum analyze ledger_entry, credit_balance');
  });
}

const readsOfDays = `
  with recursive read as (
    select b.id as balance_id, t.id as token_id, b.period_start, b.overage_records, b.entry_count as before, 0 as n, null::uuid as id,
           null::timestamptz as at, b.remaining as balance_after, false as is_rare, null::integer[] as segments, null::text as county_fips,
           null::text as request_id, null::bytea as previous_hash, b.chain_head as hash
      from credit_balance b join api_token t on t.balance_id = b.id
     where b.account_id like $8
     union all
    select r.balance_id, r.token_id, r.period_start, r.overage_records, r.before, m.n, m.id, m.at, r.balance_after - 25, m.is_rare, m.segments,
           m.county_fips, m.request_id, r.hash,
           entry_hash((r.balance_id, r.before + m.n, m.id, r.token_id, 'read', m.at, 25, -25, 0, 0, r.balance_after - 25, r.overage_records,
                       r.period_start, m.segments, m.county_fips, m.request_id, null, 0, null, null, null, null, null, r.hash, null)::ledger_entry)
      from read r
     cross join lateral (
       select s.*, entry_id(s.at, r.before + s.n) as id, gen_random_uuid()::text as request_id,
              array[case when s.is_rare then $6 else $4 end, 1, 25]::integer[] as segments,
              case when s.is_rare then $7::text else $5::text end as county_fips
         from (
           select r.n + 1 as n, (r.before + r.n) % ${rareEvery} = 0 as is_rare,
                  now() - $2::interval + ($2::interval - $3::interval) * ((r.n + 1)::float8 / $1::integer) as at
         ) s
       offset 0
     ) m
     where r.n < $1::integer
  ), written as (
    insert into ledger_entry (balance_id, sequence, id, token_id, kind, at, records, credits, balance_after, overage_after, period_start, segments,
                              county_fips, request_id, previous_hash, hash)
    select balance_id, before + n, id, token_id, 'read', at, 25, -25, balance_after, overage_records, period_start, segments, county_fips,
           request_id, previous_hash, hash from read where n > 0
    returning balance_id, sequence, balance_after, at, hash
  )
  update credit_balance b set remaining = w.balance_after, entry_count = w.sequence, last_entry_at = w.at, chain_head = w.hash
    from written w where w.balance_id = b.id and w.sequence = b.entry_count + $1::integer`;

/** On a connection whose statements may take as long as they do. */
export async function withoutLimits<T>(pool: Pool, work: (db: ClientBase) => Promise<T>): Promise<T> {
  const db = await pool.connect();
  try {
    await db.query('set statement_timeout = 0; set jit = off');
    return await work(db);
  } finally {
    // Its settings go with it.
    db.release(true);
  }
}
