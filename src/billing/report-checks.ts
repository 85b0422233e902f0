import { type BooksCheck, checkOfAll, checkOfEntries } from '../database/books-check.js';

/** The audit's checks of overage that is reported to Stripe. */
export const reportChecks: BooksCheck[] = [
  checkOfEntries(
    'the overage of metered balances is in the outbox, record by record',
    `select count(*)::integer as checked,
             (array_agg(format('entry %s has %s overage records, its report %s', coalesce(e.id, o.entry_id), coalesce(e.overage_records, 0),
                               coalesce(o.records::text, 'is missing')) order by e.id, o.entry_id)
               filter (where o.records is distinct from e.overage_records))[1] as first_break
        from (
          select e.* from ledger_entry e join credit_balance b on b.id = e.balance_id and b.is_metered
           where e.overage_records <> 0 and e.at >= $1::timestamptz
        ) e
        -- a report has the time of its entry
        full join (select * from overage_report where at >= $1::timestamptz) o on o.balance_id = e.balance_id and o.entry_id = e.id`,
  ),
  checkOfAll(
    'every meter event tells of its entries, record by record, and of one period',
    `select count(*)::integer as checked,
             (array_agg(format('event %s of %s records: its %s entries have %s', m.identifier, m.records, run.entries, run.records) order by m.identifier)
               filter (where (m.records, m.entries, true) is distinct from (run.records, run.entries, run.is_of_period)))[1] as first_break
        from meter_event m
        left join (
          select r.balance_id, r.meter_event, sum(r.records)::integer as records, count(*)::integer as entries,
                 bool_and(e.period_start = m.period_start) as is_of_period
            from overage_report r
            join ledger_entry e on e.balance_id = r.balance_id and e.sequence = entry_sequence(r.entry_id) and e.id = r.entry_id
            join meter_event m on m.identifier = r.meter_event and m.balance_id = r.balance_id
           group by 1, 2
        ) run on run.balance_id = m.balance_id and run.meter_event = m.identifier`,
  ),
  checkOfAll(
    'every overage report waits or is in a meter event, and none of those needs a decision',
    `select count(*)::integer as checked,
             (array_agg(format('meter event %s of entry %s: %s', r.meter_event, r.entry_id, coalesce(m.error, 'it is missing')) order by r.entry_id)
               filter (where m.identifier is null or m.state = 'failed'))[1] as first_break
        from overage_report r
        left join meter_event m on m.identifier = r.meter_event
       where r.meter_event is not null`,
  ),
];
