import type { Pool } from 'pg';

/** The key of a report: the ledger entry that it is of. */
export interface ReportKey {
  balanceId: string;
  entryId: string;
}

/** The overage of one ledger entry, to be reported to Stripe's meter. */
export interface OverageReport extends ReportKey {
  stripeCustomerId: string;
  /** Negative for a reversal. */
  records: number;
  /** The time that Stripe is told, in seconds since 1970; it decides on which bill the records are. */
  countedAtSeconds: number;
  /** The reversed entry, if its report was sent so recently that Stripe can still cancel it. */
  cancels: string | null;
  attempts: number;
  /** Whether an earlier attempt may have reached Stripe. */
  wasUncertain: boolean;
}

// The entry of report r, by its place in the balance.
const entryOfReport = 'e.balance_id = r.balance_id and e.sequence = entry_sequence(r.entry_id)';

// Longer than one attempt can take. The reports of a server that is killed are taken by another one after this time.
const leaseSeconds = 20;

/** Claims reports that are due for this server. Those that it does not settle within the lease become due again. */
export async function claimReports(pool: Pool, limit: number): Promise<OverageReport[]> {
  const { rows } = await pool.query<OverageReport>(
    `with due as (
       select r.balance_id, r.entry_id, e.at as entry_at, e.period_start, r.uncertain_since is not null as was_uncertain,
              o.entry_id as original, o.sent_at as original_sent_at
         from overage_report r
         join ledger_entry e on ${entryOfReport}
         left join overage_report o on o.balance_id = r.balance_id and o.entry_id = e.reverses
        where r.state = 'waiting' and r.next_attempt_at <= service_now()
          and (o.entry_id is null or o.state = 'sent')
        order by r.next_attempt_at
        limit $1
          for update of r skip locked
     )
     update overage_report r
        set attempts = r.attempts + 1,
            uncertain_since = coalesce(r.uncertain_since, service_now()),
            next_attempt_at = service_now() + make_interval(secs => $2)
       from due
       join credit_balance b on b.id = due.balance_id
       join subscription s on s.balance_id = b.id
       where r.balance_id = due.balance_id and r.entry_id = due.entry_id
     returning r.balance_id as "balanceId", r.entry_id as "entryId", s.stripe_customer_id as "stripeCustomerId", r.records, r.attempts,
       due.was_uncertain as "wasUncertain",
       -- Stripe cancels for 24 hours after it took an event
       case when due.original_sent_at > service_now() - interval '23 hours' then due.original end as cancels,
       -- Stripe closes a period's bill an hour after its end, and takes nothing older than 35 days; what is later than that is
       -- counted now and so lands on the next bill. Never before the period's own start, should our clock be behind Stripe's.
       floor(extract(epoch from case
         when service_now() > period_end_after(b.period_anchor, due.period_start) + interval '50 minutes' then service_now()
         else greatest(due.entry_at, due.period_start)
       end))::integer as "countedAtSeconds"`,
    [limit, leaseSeconds],
  );
  return rows;
}

export async function markSent(pool: Pool, { balanceId, entryId }: ReportKey): Promise<void> {
  await pool.query(
    `update overage_report set state = 'sent', sent_at = service_now(), uncertain_since = null, error = null
      where balance_id = $1 and entry_id = $2 and state = 'waiting'`,
    [balanceId, entryId],
  );
}

/** @param isCertain whether it is certain that no attempt has reached Stripe */
export async function postpone(
  pool: Pool,
  { balanceId, entryId }: ReportKey,
  waitSeconds: number,
  error: string,
  isCertain: boolean,
): Promise<void> {
  await pool.query(
    `update overage_report
        set next_attempt_at = service_now() + make_interval(secs => $3), error = $4,
            uncertain_since = case when $5 then null else uncertain_since end
      where balance_id = $1 and entry_id = $2 and state = 'waiting'`,
    [balanceId, entryId, waitSeconds, error, isCertain],
  );
}

/** Cancels the reports of reads that were reversed before any attempt to report them, and those of their reversals. */
export async function cancelUnreported(pool: Pool): Promise<void> {
  await pool.query(
    `with pair as (
       select r.balance_id, o.entry_id as original, r.entry_id as reversal
         from overage_report r
         join ledger_entry e on ${entryOfReport}
         join overage_report o on o.balance_id = r.balance_id and o.entry_id = e.reverses
        where r.state = 'waiting' and o.state = 'waiting' and o.attempts = 0
          for update of o, r skip locked
     )
     update overage_report r set state = 'cancelled'
       from pair p where r.balance_id = p.balance_id and r.entry_id in (p.original, p.reversal)`,
  );
}

/** After a day without a known outcome another attempt could count twice. A person decides (`stripe resolve`). */
export async function giveUpUncertain(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `update overage_report
        set state = 'failed', error = concat('whether Stripe counted it is unknown: ', error)
      where state = 'waiting' and uncertain_since < service_now() - interval '23 hours' and next_attempt_at <= service_now()`,
  );
  return rowCount ?? 0;
}

/**
 * A person's decision on a report that was given up.
 * @returns whether there was such a report
 */
export async function resolveReport(pool: Pool, entryId: string, wasCounted: boolean): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update overage_report
        set state = case when $2 then 'sent' else 'waiting' end,
            sent_at = case when $2 then service_now() end,
            uncertain_since = null, next_attempt_at = service_now(), error = null
      where entry_id::text = $1 and state = 'failed'`,
    [entryId, wasCounted],
  );
  return rowCount === 1;
}
