import { type BooksCheck, checkOfAll } from '../ledger/books-check.js';

/** Invariants of balances as they are now. Those of their entries are in `entries/`. */
export const ledgerChecks: BooksCheck[] = [
  checkOfAll(
    'no balance is negative',
    `select count(*)::integer as checked,
            min(format('balance %s has %s credits and %s overage records', id, remaining, overage_records))
              filter (where remaining < 0 or overage_records < 0) as first_break
       from credit_balance`,
  ),
  // Uses the wall clock, as reverse_abandoned does. A row is written with its entry: in one that came later, somebody wants a delivered read
  // reversed.
  checkOfAll(
    'no read waits for its delivery or its reversal longer than a minute',
    `select count(*)::integer as checked,
            min(case when e.id is null then format('request %s of balance %s names no read', u.request_id, u.balance_id)
                     when not r.is_written_together then format('entry %s of balance %s of %s waits only since %s', u.entry_id, u.balance_id, e.at, u.spent_at)
                     else format('entry %s of balance %s waits since %s', u.entry_id, u.balance_id, u.spent_at) end)
              filter (where u.entry_id is not null and e.id is null or not r.is_written_together
                         or u.spent_at < clock_timestamp() - interval '1 minute') as first_break
       from undelivered_read u
       left join ledger_entry e
         on e.balance_id = u.balance_id and e.sequence = entry_sequence(u.entry_id) and e.id = u.entry_id and e.kind = 'read'
      cross join lateral (
        -- by two clocks: tests move only one
        select abs(extract(epoch from (u.spent_at - clock_timestamp()) - (e.at - service_now()))) < 10 as is_written_together
      ) r`,
  ),
];
