import type { ClientBase } from 'pg';
import { ask } from '../../database/long-reads.js';
import { type EntryRule, entryRules } from './entry-rules.js';

/** An entry after which a slice goes on with its balance. */
export interface Place {
  balanceId: string;
  sequence: number;
}

/** The last entry of a slice that may have more behind it. */
export interface End extends Place {
  hash: string;
}

export interface Slice {
  rows: number;
  /** By the number of the rule: how many entries or balances were checked, and the first violation. */
  checked: number[];
  broken: (string | null)[];
  /** Null: the slice holds all that there was to check. */
  end: End | null;
}

interface SliceRequest {
  /** Null: all entries from `after` on, of whatever balance. */
  places: Place[] | null;
  /** Where the slice before ended. */
  after: End | null;
  limit: number;
  /** Whether balances that hold are remembered. */
  isRemembered: boolean;
}

const allEntries = `
  select e.*, e.balance_id = $2::uuid and e.sequence = $3::integer as is_start
    from ledger_entry e where (e.balance_id, e.sequence) >= ($2::uuid, $3::integer) order by e.balance_id, e.sequence limit $1::bigint`;

const entriesOfPlaces = `
  select e.*, e.sequence = p.sequence as is_start
    from unnest($6::uuid[], $7::integer[]) p (balance_id, sequence)
   cross join lateral (
     select * from ledger_entry l where l.balance_id = p.balance_id and l.sequence >= p.sequence order by l.sequence limit $1::bigint
   ) e
   order by e.balance_id, e.sequence limit $1::bigint`;

// Many rules are of the same entries.
const kinds = [...new Set(entryRules.map(({ of }) => of))];
const countOf = ({ of }: EntryRule): string => `count_${kinds.indexOf(of)}`;
const anyBroken = kinds
  .map((kind) => {
    const broken = entryRules.filter(({ of }) => of === kind).map(({ isBroken }) => `(${isBroken})`);
    return `(${kind}) and (${broken.join(' or ')})`;
  })
  .join(' or ');
const each = (text: (rule: (typeof entryRules)[number], number: number) => string, separator = ', ') =>
  entryRules.map(text).join(separator);

// Two windows, one of them by balance, would copy each entry twice.
const before = (name: string): string => `case when lag(balance_id) over every = balance_id then lag(${name}) over every end`;

// One statement: it sees each balance with exactly the entries that the balance knows of, and its snapshot ends with it.
const sliceOf = (entries: string) => `
  with linked as (
    select e.*, case when (balance_id, sequence) = ($2::uuid, $3::integer) then decode($4::text, 'hex') end as start_hash,
           ${before('sequence')} as before_sequence, ${before('hash')} as before_hash, ${before('at')} as before_at, ${before('balance_after')} as before_balance,
           ${before('overage_after')} as before_overage, row_number() over every as number,
           lead(balance_id) over every is distinct from balance_id and row_number() over every < $1::bigint as is_last
      from (${entries}) e
    window every as (order by balance_id, sequence)
  ), judged as materialized (
    select e.balance_id, e.sequence, e.hash, e.balance_after, e.overage_after, e.number, b.period_start, e.is_last and b.id is not null as is_last,
           (a.head, a.remaining, a.overage_records, a.period_start) is distinct from (e.hash, e.balance_after, e.overage_after, b.period_start) as is_news,
           ${kinds.map((kind, n) => `${kind} as is_${n}`).join(', ')},
           case when ${anyBroken}
                then array[${each(({ of, isBroken, says }) => `case when (${of}) and (${isBroken}) then ${says} end`)}] end as breaks
      from linked e
      left join credit_balance b on b.id = e.balance_id
      left join audited_balance a on a.balance_id = e.balance_id
      left join api_token t on t.balance_id = e.balance_id and t.id = e.token_id
      left join parcel_release r on r.id = e.segments[1]
  ), remembered as (
    insert into audited_balance (balance_id, entries, head, remaining, overage_records, period_start)
    select balance_id, sequence, hash, balance_after, overage_after, period_start from judged
     where $5::boolean and is_last and is_news and not exists (select from judged where breaks is not null)
        on conflict (balance_id) do update
       set entries = excluded.entries, head = excluded.head, remaining = excluded.remaining, overage_records = excluded.overage_records,
           period_start = excluded.period_start
  )
  select c.*, s.*, l.*
    from (
      select rows, array[${each(countOf)}]::integer[] as checked
        from (select count(*)::integer as rows, ${kinds.map((_, n) => `count(*) filter (where is_${n}) as count_${n}`).join(', ')} from judged) k
    ) c
   cross join (select array[${each((_, n) => `min(breaks[${n + 1}])`)}] as broken from judged where breaks is not null) s
    left join (select balance_id as "balanceId", sequence, encode(hash, 'hex') as hash from judged where number = $1::bigint) l on true`;

const ofAll = sliceOf(allEntries);
const ofPlaces = sliceOf(entriesOfPlaces);

// Each row is found by its key: hash tables of all balances and tokens would be built anew for every slice, and a bitmap has all entries that
// follow in a balance.
export const beginSlice = `begin; set local enable_hashjoin = off; set local enable_mergejoin = off; set local enable_seqscan = off;
                           set local enable_bitmapscan = off; set local jit = off; set local work_mem = '64MB'`;

/** Checks up to `limit` entries, ordered by balance and sequence. */
export async function readSlice(db: ClientBase, { places, after, limit, isRemembered }: SliceRequest): Promise<Slice> {
  const [balanceId, sequence] = after ? [after.balanceId, after.sequence] : ['00000000-0000-0000-0000-000000000000', -2147483648];
  const values = [limit, balanceId, sequence, after?.hash ?? null, isRemembered];
  const ofThese = places && [places.map((place) => place.balanceId), places.map((place) => place.sequence)];
  await db.query(beginSlice);
  const [row] = await ask<Omit<Slice, 'end'> & { [Key in keyof End]: End[Key] | null }>(
    db,
    ofThese ? ofPlaces : ofAll,
    ofThese ? [...values, ...ofThese] : values,
  );
  await db.query('commit');
  const { rows, checked, broken, ...end } = row!;
  return { rows, checked, broken, end: end.hash === null ? null : (end as End) };
}
