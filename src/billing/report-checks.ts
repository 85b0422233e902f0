import { type AuditCheck, checkOfAll, checkOfEntries } from '../usage/audit-check.js';

/** The audit's checks of overage that is reported to Stripe. */
export const reportChecks: AuditCheck[] = [
  checkOfEntries(
    'the overage of metered balances is in the outbox, record by record',
    `select count(*)::integer as checked,
             (array_agg(format('entry %s has %s overage records, its report %s', e.id, e.overage_records, coalesce(o.records::text, 'is missing')) order by e.id)
               filter (where o.records is distinct from e.overage_records))[1] as first_break
        from ledger_entry e
        join credit_balance b on b.id = e.balance_id and b.is_metered
        left join overage_report o on o.balance_id = e.balance_id and o.entry_id = e.id
       where e.overage_records <> 0 and e.at >= $1::timestamptz`,
  ),
  checkOfAll(
    'every overage report is sent, waiting, or cancelled together with its reversal',
    `select count(*)::integer as checked,
             (array_agg(format('entry %s: %s', o.entry_id, coalesce(o.error, 'cancelled alone')) order by o.entry_id)
               filter (where o.state = 'failed' or (o.state = 'cancelled' and coalesce(other.state, '') <> 'cancelled')))[1] as first_break
        from overage_report o
        join ledger_entry e on e.balance_id = o.balance_id and e.sequence = entry_sequence(o.entry_id) and e.id = o.entry_id
        left join ledger_entry r on r.balance_id = e.balance_id and r.reverses = e.id
        left join overage_report other on other.balance_id = o.balance_id and other.entry_id = coalesce(e.reverses, r.id)`,
  ),
];
