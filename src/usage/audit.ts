import type { Pool, QueryConfig } from 'pg';
import { inTransaction } from '../database/transaction.js';
import { AppError } from '../errors.js';

/** What the audit found: one line an invariant, with the first break if it does not hold. */
export interface Finding {
  invariant: string;
  checked: number;
  firstBreak: string | null;
}

/** The check that reads every entry. */
export const chainInvariant = 'the hash chain of every balance replays to its head';

// pg takes 0 for "as the pool says", which is what a request may take.
const maxCheckMs = 6 * 60 * 60 * 1000;

interface Check {
  invariant: string;
  /** Rows checked, and a sentence for the first that breaks the invariant. */
  sql: string;
}

/**
 * Checks every invariant of the books on a running system. Each check is one statement, so it sees one moment.
 * Read it as the definition of "the bill is exact".
 * @throws AppError conflict while another audit runs: each reads the whole ledger
 */
export async function audit(pool: Pool): Promise<Finding[]> {
  return inTransaction(pool, async (tx) => {
    // One snapshot for all of them; a whole ledger takes longer than a request may.
    await tx.query('set transaction isolation level repeatable read read only');
    await tx.query('set local statement_timeout = 0');
    const { rows: lock } = await tx.query<{ locked: boolean }>(`select pg_try_advisory_xact_lock(hashtext('audit')) as locked`);
    if (!lock[0]!.locked) throw new AppError('conflict', 'An audit is running already. Wait for it to end.');
    const findings: Finding[] = [];
    for (const { invariant, sql } of checks) {
      const { rows } = await tx.query<{ checked: number; first_break: string | null }>({
        text: sql,
        query_timeout: maxCheckMs,
      } as QueryConfig);
      findings.push({ invariant, checked: rows[0]!.checked, firstBreak: rows[0]!.first_break });
    }
    return findings;
  });
}

const checks: Check[] = [
  {
    invariant: 'the credits of a balance’s entries add up to what remains',
    sql: `
      select count(*)::integer as checked,
             min(format('balance %s: entries add up to %s, remaining is %s', b.id, coalesce(l.credits, 0), b.remaining))
               filter (where coalesce(l.credits, 0) <> b.remaining) as first_break
        from credit_balance b
        left join (select balance_id, sum(credits) as credits from ledger_entry group by balance_id) l on l.balance_id = b.id`,
  },
  {
    invariant: 'balances and their running totals follow one another without a break',
    sql: `
      select count(*)::integer as checked,
             (array_agg(format('entry %s of balance %s: sequence %s, balance %s after %s%s', id, balance_id, sequence, balance_after, before, to_char(credits, 'SG999999999')) order by id)
               filter (where balance_after <> before + credits or sequence <> position))[1] as first_break
        from (
          select id, balance_id, sequence, credits, balance_after,
                 coalesce(lag(balance_after) over w, 0) as before, row_number() over w as position
            from ledger_entry window w as (partition by balance_id order by sequence)
        ) e`,
  },
  {
    invariant: 'no balance is negative',
    sql: `
      select count(*)::integer as checked,
             min(format('balance %s has %s credits and %s overage records', id, remaining, overage_records))
               filter (where remaining < 0 or overage_records < 0) as first_break
        from credit_balance`,
  },
  {
    invariant: chainInvariant,
    sql: `
      select count(*)::integer as checked,
             (array_agg(broken order by balance_id, sequence) filter (where broken is not null))[1] as first_break
        from (
          select e.balance_id, e.sequence,
                 case
                   when e.hash <> ledger_hash(e.*::ledger_entry) then format('entry %s of balance %s was changed', e.id, e.balance_id)
                   when e.previous_hash <> coalesce(lag(e.hash) over w, decode(repeat('00', 32), 'hex')) then format('entry %s of balance %s does not follow the one before it', e.id, e.balance_id)
                   when lead(e.id) over w is null and (e.hash <> b.chain_head or e.sequence <> b.entry_count) then format('balance %s: entries after %s are missing', e.balance_id, e.id)
                 end as broken
            from ledger_entry e join credit_balance b on b.id = e.balance_id
          window w as (partition by e.balance_id order by e.sequence)
        ) c`,
  },
  {
    invariant: 'every balance with a chain head has its entries',
    sql: `
      select count(*)::integer as checked,
             min(format('balance %s should have %s entries and has none', b.id, b.entry_count))
               filter (where b.entry_count > 0 and not exists (select from ledger_entry e where e.balance_id = b.id)) as first_break
        from credit_balance b`,
  },
  {
    invariant: 'every read charged exactly the records of its segments',
    sql: `
      select count(*)::integer as checked,
             (array_agg(format('entry %s charged %s records, its segments hold %s', id, records, held) order by id) filter (where held <> records))[1] as first_break
        from (
          select e.id, e.records, coalesce((select sum(e.segments[i]) from generate_series(3, coalesce(array_length(e.segments, 1), 0), 3) i), 0) as held
            from ledger_entry e where e.kind = 'read'
        ) r`,
  },
  {
    invariant: 'every segment lies within its release',
    sql: `
      select count(*)::integer as checked,
             (array_agg(format('entry %s read records %s to %s of release %s, which has %s', s.id, s.first, s.first + s.count - 1, s.release_id, coalesce(r.loaded_count, 0)) order by s.id)
               filter (where r.id is null or s.first < 1 or s.count < 1 or s.first + s.count - 1 > r.loaded_count))[1] as first_break
        from (
          select e.id, e.segments[i - 2] as release_id, e.segments[i - 1] as first, e.segments[i] as count
            from ledger_entry e, generate_series(3, coalesce(array_length(e.segments, 1), 0), 3) i
           where e.kind = 'read'
        ) s left join parcel_release r on r.id = s.release_id`,
  },
  {
    invariant: 'every readable release holds exactly the records it counts, numbered without gaps',
    sql: `
      select count(*)::integer as checked,
             min(format('release %s counts %s records, %s are there, numbered %s to %s', r.id, r.loaded_count, p.count, p.first, p.last))
               filter (where p.count <> r.loaded_count or (r.loaded_count > 0 and (p.first <> 1 or p.last <> r.loaded_count))) as first_break
        from parcel_release r
       cross join lateral (select count(*) as count, min(ordinal) as first, max(ordinal) as last from parcel where release_id = r.id) p
       where r.state = 'published'`,
  },
  {
    invariant: 'a reversal takes back exactly what its read charged',
    sql: `
      select count(*)::integer as checked,
             (array_agg(format('reversal %s does not undo entry %s', r.id, r.reverses) order by r.id)
               filter (where o.kind <> 'read' or r.records <> -o.records or r.overage_records <> -o.overage_records or r.balance_id <> o.balance_id
                          or (r.credits <> -o.credits and r.credits <> 0)))[1] as first_break
        from ledger_entry r join ledger_entry o on o.id = r.reverses`,
  },
  {
    invariant: 'overage costs its price, and of each period it adds up to what the balance says',
    sql: `
      select count(*)::integer as checked,
             min(format('balance %s: entries of the period have %s overage records (%s cents), the balance %s', b.id, coalesce(l.records, 0), coalesce(l.cents, 0), b.overage_records))
               filter (where coalesce(l.records, 0) <> b.overage_records
                          or coalesce(l.cents, 0) <> b.overage_records::bigint * coalesce(b.overage_unit_cents, 0)) as first_break
        from credit_balance b
        left join (
          select balance_id, period_start, sum(overage_records) as records, sum(overage_cents) as cents from ledger_entry group by balance_id, period_start
        ) l on l.balance_id = b.id and l.period_start = b.period_start`,
  },
  {
    invariant: 'the overage of metered balances is in the outbox, record by record',
    sql: `
      select count(*)::integer as checked,
             (array_agg(format('entry %s has %s overage records, its report %s', e.id, e.overage_records, coalesce(o.records::text, 'is missing')) order by e.id)
               filter (where o.records is distinct from e.overage_records))[1] as first_break
        from ledger_entry e
        join credit_balance b on b.id = e.balance_id and b.is_metered
        left join overage_report o on o.entry_id = e.id
       where e.overage_records <> 0`,
  },
  {
    invariant: 'every overage report is sent, waiting, or cancelled together with its reversal',
    sql: `
      select count(*)::integer as checked,
             (array_agg(format('entry %s: %s', o.entry_id, coalesce(o.error, 'cancelled alone')) order by o.entry_id)
               filter (where o.state = 'failed' or (o.state = 'cancelled' and coalesce(other.state, '') <> 'cancelled')))[1] as first_break
        from overage_report o
        join ledger_entry e on e.id = o.entry_id
        left join ledger_entry r on r.reverses = e.id
        left join overage_report other on other.entry_id = coalesce(e.reverses, r.id)`,
  },
];
