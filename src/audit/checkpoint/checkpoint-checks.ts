import { ask } from '../../database/long-reads.js';
import { functionBodies } from '../../database/migrating/sql-files.js';
import type { BooksCheck } from '../../ledger/books-check.js';
import { beginSlice } from '../entries/entry-slice.js';
import { logTreeCheck, type OutsideCheckpoint, type ProvenLog } from './log-tree-check.js';
import { loggedReleasesCheck } from './logged-releases-check.js';

/** What the audit finds with a checkpoint that nobody could change who could change the database. */
export function checkpointChecks(outside: OutsideCheckpoint): BooksCheck[] {
  let log: ProvenLog | null = null;
  const proven = () => log;
  const tree = logTreeCheck(outside, (found) => {
    log = found;
  });
  return [tree, loggedEntriesCheck(proven), takenBackCheck(proven), loggedReleasesCheck(proven)];
}

const leavesAtOnce = 20_000;

// A leaf that the tree does not vouch for may say anything. One pattern with all the lengths would take five times as long as all the rest.
const firstWrongLeaf = `
  select count(*)::integer as checked, min(broken) as broken
    from (
      select case when e.hash = l.head then null
                  when e.id is not null then format('entry %s of balance %s (%s) is not the one that was logged', l.sequence, l.balance_id, e.id)
                  else (
                    select case when max(b.sequence) is null then format('balance %s has no entries: %s were logged', l.balance_id, l.sequence)
                                else format('balance %s ends with entry %s: %s were logged', l.balance_id, max(b.sequence), l.sequence) end
                      from ledger_entry b where b.balance_id = l.balance_id
                  )
             end as broken
        from (
          select split_part(text, ' ', 2)::uuid as balance_id, split_part(text, ' ', 3)::integer as sequence,
                 decode(split_part(text, ' ', 4), 'hex') as head
            from log_leaf
           where origin_id = $1 and leaf_index >= $2 and leaf_index < $3
             and text ~ '^balance [0-9a-f-]+ [0-9]+ [0-9a-f]+$' and text like 'balance ________-____-____-____-____________ %'
             and length(replace(split_part(text, ' ', 2), '-', '')) = 32
             and length(split_part(text, ' ', 3)) <= 9 and length(split_part(text, ' ', 4)) = 64
          offset 0
        ) l
        left join ledger_entry e on e.balance_id = l.balance_id and e.sequence = l.sequence
    ) leaf`;

/** Compares each leaf of a balance with its entry. That the entries before it are those that it covers is checked by `entries/`. */
const loggedEntriesCheck = (proven: () => ProvenLog | null): BooksCheck => ({
  invariants: ['every entry that was logged is there, with the hash that was logged'],
  isInSlices: true,
  async *run(db) {
    const { originId, size } = proven() ?? { originId: 0, size: 0 };
    for (let at = 0; at < size; at += leavesAtOnce) {
      const to = Math.min(size, at + leavesAtOnce);
      await db.query(beginSlice);
      const [row] = await ask<{ checked: number; broken: string | null }>(db, firstWrongLeaf, [originId, at, to]);
      await db.query('commit');
      yield { checked: row!.checked, firstBreak: row!.broken, share: to / size };
    }
  },
});

// As entry_sequence(), which a superuser may have replaced.
const sequenceOf = (id: string) => `('x' || right(${id}::text, 8))::bit(32)::integer`;

/**
 * A read is confirmed or reversed within seconds by any server that runs, and a checkpoint is signed by one that runs. So what was read ten
 * minutes before a checkpoint was delivered for good by then.
 */
const takenBackCheck = (proven: () => ProvenLog | null): BooksCheck => ({
  invariants: ['no read that stood ten minutes before the checkpoint was taken back after it, or waits to be'],
  async *run(db) {
    const [row] = await ask<{ checked: number; first_break: string | null }>(
      db,
      `select (select count(*) from undelivered_read)::integer as checked, coalesce((
         select format('entry %s of balance %s was taken back by %s, %s after it', e.id, e.balance_id, r.id, r.at - e.at)
           from ledger_entry r join ledger_entry e on e.balance_id = r.balance_id and e.id = r.reverses and e.sequence = ${sequenceOf('r.reverses')}
          where r.kind = 'reversal' and r.at > to_timestamp($1 / 1e6) and e.at < to_timestamp($1 / 1e6) - interval '10 minutes'
          order by r.at limit 1
       ), (
         select format('entry %s of balance %s, made at %s, waits to be taken back', e.id, e.balance_id, e.at)
           from undelivered_read u
           join ledger_entry e on e.balance_id = u.balance_id and e.id = u.entry_id and e.sequence = ${sequenceOf('u.entry_id')}
          where e.at < to_timestamp($1 / 1e6) - interval '10 minutes'
          order by e.at limit 1
       )) as first_break`,
      [proven()?.signedAt ?? 0],
    );
    yield { checked: row!.checked, firstBreak: row!.first_break, share: 1 };
  },
});

/** Other checks call functions of ours, and the service does: a superuser may have replaced one. */
export const functionsCheck: BooksCheck = {
  invariants: ['the functions of the database are those of this version'],
  async *run(db) {
    const ours = await functionBodies();
    const [row] = await ask<{ checked: number; first_break: string | null }>(
      db,
      `select count(*)::integer as checked,
              string_agg(format('%s() is not the function of this version', p.proname), ', ' order by p.proname)
                filter (where not p.prosrc = any(o.bodies)) as first_break
         from pg_proc p
         join pg_namespace n on n.oid = p.pronamespace and n.nspname in ('public', 'auth')
         join (
           select name, array_agg(body) as bodies from unnest($1::text[], $2::text[]) f (name, body) group by name
         ) o on o.name = p.proname`,
      [ours.map(({ name }) => name), ours.map(({ body }) => body)],
    );
    yield { checked: row!.checked, firstBreak: row!.first_break, share: 1 };
  },
};
