import { type BooksCheck, checkOfAll } from '../../ledger/books-check.js';

/** The audit's checks of billed overage. `reconcile/` compares it with Stripe. */
export const overageChecks: BooksCheck[] = [
  checkOfAll(
    'every overage item is of a period of its balance, at the price of its overage',
    `select count(*)::integer as checked,
             (array_agg(format('item %s of %s records of balance %s', i.id, i.records, i.balance_id) order by i.id)
               filter (where g.id is null or i.unit_cents <> p.unit_cents))[1] as first_break
        from overage_item i
        left join ledger_entry g on g.balance_id = i.balance_id and g.kind = 'grant' and g.period_start = i.period_start
        left join (
          select o.balance_id, p.period_start, p.unit_cents
            from (select distinct balance_id from overage_item) o cross join lateral overage_by_period(o.balance_id) p
        ) p on p.balance_id = i.balance_id and p.period_start = i.period_start`,
  ),
  checkOfAll(
    'all overage of ended subscriptions is billed, or has waited less than a week',
    `select count(*)::integer as checked,
             (array_agg(format('customer %s: %s records wait since %s', s.stripe_customer_id, due.records, s.ends_at) order by s.id)
               filter (where s.has_ended and due.records <> 0 and s.ends_at < service_now() - interval '7 days'))[1] as first_break
        from (select stripe_customer_id, min(id) as id, max(ends_at) as ends_at,
                     bool_and(status in ('canceled', 'incomplete_expired')) as has_ended
                from subscription group by 1) s
       cross join lateral (
         select coalesce(sum(abs(d.records)), 0) as records from overage_due(s.stripe_customer_id) d where s.has_ended
       ) due`,
  ),
];
