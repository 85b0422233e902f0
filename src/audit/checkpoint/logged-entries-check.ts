import { ask } from '../../database/long-reads.js';
import type { BooksCheck } from '../../ledger/books-check.js';
import { beginSlice } from '../entries/entry-slice.js';
import type { ProvenLog } from './log-tree-check.js';

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
export const loggedEntriesCheck = (proven: () => ProvenLog | null): BooksCheck => ({
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
