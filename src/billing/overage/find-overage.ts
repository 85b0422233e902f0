import type { Pool } from 'pg';
import { inTransaction } from '../../database/statement-runner.js';
import { addJob, type Task } from '../../jobs/task.js';
import { billSoon } from '../billing-jobs.js';

const pauseSeconds = 5;

/**
 * Finds customers whose overage changed although Stripe sent no event: a read was reversed, or the open overage reached the threshold.
 * @param thresholdCents null: there is none
 */
export const findOverage = (pool: Pool, thresholdCents: number | null): Task<'find-overage'> => ({
  name: 'find-overage',
  timeLimitSeconds: 50,
  run: () =>
    inTransaction(pool, 'begin', async (db) => {
      const { rows: changed } = await db.query<Customer>(
        `with changed as (delete from overage_change returning balance_id)
         select distinct s.stripe_customer_id as customer from changed join subscription s using (balance_id)`,
      );
      const { rows: over } = thresholdCents === null ? { rows: [] } : await db.query<Customer>(customersOverThreshold, [thresholdCents]);
      for (const { customer } of [...changed, ...over]) await billSoon(db, customer);
      // The crontab's job starts this again if it ever ends.
      await addJob(db, 'find-overage', {}, { key: 'find-overage', queue: 'find-overage', delaySeconds: pauseSeconds });
    }),
});

interface Customer {
  customer: string;
}

// Customers with a recent overage read, whose open overage has reached $1 cents, and who owe no earlier bill. A read that was missed while no
// server ran is billed with the next one, or when the period ends.
const customersOverThreshold = `
  select s.stripe_customer_id as customer
    from subscription s
    join credit_balance b on b.id = s.balance_id
   cross join lateral (
     select coalesce(sum(i.records::bigint * i.unit_cents), 0) as cents from overage_item i
      where i.balance_id = b.id and i.period_start = b.period_start and i.state <> 'missed'
   ) billed
   where s.stripe_customer_id in (
           select r.stripe_customer_id from ledger_entry e join subscription r on r.balance_id = e.balance_id
            where e.at > service_now() - interval '3 minutes' and e.overage_records > 0
         )
     and (b.ends_at <= service_now()) is not true and b.overage_records > 0
   group by 1
  having sum(b.overage_records::bigint * b.overage_unit_cents - billed.cents) >= $1 and count(s.unpaid_bill) = 0`;
