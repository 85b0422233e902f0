import type { ClientBase } from 'pg';
import { ask } from '../../database/long-reads.js';
import { BrokenLog } from './checkpoint.js';

// These statements read all balances, and what changed of the ledger.

/**
 * Holds the balances against their newest leaves.
 * @returns the number of balances that the log does not have as they are
 * @throws BrokenLog if one is not what was logged, with what was appended to it
 */
export async function checkLoggedBalances(db: ClientBase): Promise<number> {
  const [found] = await ask<{ changed: number; broken: string | null }>(
    db,
    `select count(*)::integer as changed, (array_agg(broken order by id) filter (where broken is not null))[1] as broken
       from (
         select coalesce(b.id, l.balance_id) as id,
                case
                  when b.id is null then format('balance %s is gone: %s entries of it were logged', l.balance_id, l.entries)
                  when b.entry_count < l.entries then format('balance %s has %s entries: %s were logged', b.id, b.entry_count, l.entries)
                  when b.entry_count = l.entries then format('balance %s has another head at entry %s than was logged', b.id, l.entries)
                  -- one row each by the primary key; a join would read the whole ledger
                  when l.head is not null and l.head is distinct from (
                         select e.hash from ledger_entry e where e.balance_id = l.balance_id and e.sequence = l.entries)
                    then format('entry %s of balance %s is not the one that was logged', l.entries, b.id)
                  when b.chain_head is distinct from (
                         select e.hash from ledger_entry e where e.balance_id = b.id and e.sequence = b.entry_count)
                    then format('entry %s of balance %s is not the one that the balance names as its last', b.entry_count, b.id)
                end as broken
           from credit_balance b full join logged_balance l on l.balance_id = b.id
          where (b.entry_count > 0 or l.entries is not null)
            and (b.entry_count is distinct from l.entries or b.chain_head is distinct from l.head)
       ) changed`,
  );
  if (found!.broken) throw new BrokenLog(found!.broken);
  return found!.changed;
}

/** Appends a leaf for each balance that changed. */
export async function appendBalances(db: ClientBase, originId: number, size: number): Promise<void> {
  await ask(
    db,
    `with changed as materialized (
       select b.id, b.entry_count, b.chain_head, $2::bigint + row_number() over (order by b.id) - 1 as leaf_index
         from credit_balance b left join logged_balance l on l.balance_id = b.id
        where b.entry_count > 0 and b.entry_count is distinct from l.entries
     ), leaf as (
       insert into log_leaf (origin_id, leaf_index, text)
       select $1, leaf_index, concat('balance ', id, ' ', entry_count, ' ', encode(chain_head, 'hex')) from changed
     )
     insert into logged_balance (balance_id, entries, head, leaf_index) select id, entry_count, chain_head, leaf_index from changed
         on conflict (balance_id) do update set entries = excluded.entries, head = excluded.head, leaf_index = excluded.leaf_index`,
    [originId, size],
  );
}

/**
 * Appends a leaf for each release that this tree does not have yet.
 * @returns their number
 */
export async function appendReleases(db: ClientBase, originId: number, size: number): Promise<number> {
  const [{ count } = { count: 0 }] = await ask<{ count: number }>(
    db,
    `with due as (
       select r.*, p.county_fips, $2::bigint + row_number() over (order by r.release_id) - 1 as leaf_index
         from release_root r join parcel_release p on p.id = r.release_id
        where not exists (select from logged_release l where l.origin_id = $1 and l.release_id = r.release_id)
     ), leaf as (
       insert into log_leaf (origin_id, leaf_index, text)
       select $1, leaf_index, concat('release ', release_id, ' ', county_fips, ' ', records, ' ', encode(root, 'hex'), ' ',
                                     encode(attributes_sha256, 'hex'))
         from due
     ), logged as (
       insert into logged_release (origin_id, release_id, leaf_index) select $1, release_id, leaf_index from due
     )
     select count(*)::integer as count from due`,
    [originId, size],
  );
  return count;
}

/** Appends single leaves. */
export async function appendLeaves(db: ClientBase, originId: number, size: number, texts: string[]): Promise<void> {
  await db.query(
    `insert into log_leaf (origin_id, leaf_index, text) select $1, $2::bigint + number - 1, text from unnest($3::text[]) with ordinality t (text, number)`,
    [originId, size, texts],
  );
}
