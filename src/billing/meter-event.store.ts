import type { Pool } from 'pg';
import { AppError } from '../core/errors.js';
import type { MeterEvent } from './meter-event.js';
import type { Span } from './meter-total.js';

// Longer than one attempt can take. The event of a server that is killed is taken by another one after this time.
const leaseSeconds = 20;

/** Makes events of what waits. */
export async function openMeterEvents(pool: Pool): Promise<void> {
  await pool.query('select open_meter_events()');
}

/** Claims events that are due for this server. Those that it does not settle within the lease become due again. */
export async function claimMeterEvents(pool: Pool, limit: number): Promise<MeterEvent[]> {
  const { rows } = await pool.query<MeterEvent>(
    // What is too late for the bill of its time is counted now, and so lands on the next bill;
    // of a subscription that has ended, in its last moment (see last_moment). Where that is more than the 35 days ago that Stripe takes, it is
    // told a later time, whose bill is closed, too: on which bill an event is says our own.
    // While it is unknown whether Stripe has the event, it is sent with no other time than the one that it may be there with: if it is
    // taken then, nobody could say which of them it has.
    `with due as (
       select m.identifier, m.uncertain_since, t.counted_at, is_too_late
         from meter_event m
         join credit_balance b on b.id = m.balance_id
         join subscription s on s.balance_id = b.id
        cross join lateral (
          select case when service_now() >= closes_at(b.period_anchor, b.ends_at, m)
                      then greatest(m.counted_at, least(service_now(), last_moment(b.period_anchor, ended_at(s))))
                      else m.counted_at end as counted_at
        ) t
        cross join lateral (select m.uncertain_since is not null and t.counted_at <> m.counted_at as is_too_late) l
        where m.state = 'waiting' and m.next_attempt_at <= service_now()
          -- an hour of silence before Stripe is asked, since its meter adds up late
          and (m.uncertain_since between service_now() - interval '23 hours' and service_now() - interval '22 hours') is not true
          and (not is_too_late or m.next_attempt_at < service_now() - interval '1 hour')
        order by m.next_attempt_at
        limit $1
          for update of m skip locked
     )
     update meter_event m
        set attempts = m.attempts + 1,
            counted_at = case when due.is_too_late then m.counted_at else due.counted_at end,
            bill_ends_at = case when due.is_too_late or due.counted_at = m.counted_at then m.bill_ends_at end,
            uncertain_since = coalesce(m.uncertain_since, service_now()),
            next_attempt_at = service_now() + make_interval(secs => $2)
       from due
      where m.identifier = due.identifier
     returning m.identifier, m.stripe_customer_id as "stripeCustomerId", m.records, m.attempts,
       floor(extract(epoch from greatest(m.counted_at, service_now() - interval '34 days')))::integer as "countedAtSeconds",
       due.uncertain_since is not null as "wasUncertain",
       due.is_too_late or coalesce(due.uncertain_since < service_now() - interval '23 hours', false) as "mustAsk"`,
    [limit, leaseSeconds],
  );
  return rows;
}

/** @param wasThere whether an earlier attempt has arrived */
export async function markSent(pool: Pool, identifier: string, wasThere: boolean): Promise<void> {
  await pool.query(
    `update meter_event
        set state = 'sent', sent_at = case when $2 then coalesce(uncertain_since, service_now()) else service_now() end,
            uncertain_since = null, error = null
      where identifier = $1 and state = 'waiting'`,
    [identifier, wasThere],
  );
}

/** Nobody can be billed for it. */
export async function markVoid(pool: Pool, identifier: string, error: string): Promise<void> {
  await pool.query(
    `update meter_event set state = 'void', uncertain_since = null, error = $2 where identifier = $1 and state = 'waiting'`,
    [identifier, error],
  );
}

/** An operator has to decide whether Stripe has it. */
export async function markFailed(pool: Pool, identifier: string, error: string): Promise<void> {
  await pool.query(`update meter_event set state = 'failed', error = $2 where identifier = $1 and state = 'waiting'`, [identifier, error]);
}

/** @param isCertain whether it is certain that no attempt has reached Stripe */
export async function postpone(pool: Pool, identifier: string, waitSeconds: number, error: string, isCertain: boolean): Promise<void> {
  await pool.query(
    `update meter_event
        set next_attempt_at = service_now() + make_interval(secs => $2), error = $3,
            uncertain_since = case when $4 then null else uncertain_since end
      where identifier = $1 and state = 'waiting'`,
    [identifier, waitSeconds, error, isCertain],
  );
}

/** Where to look for an uncertain event in Stripe's meter, and what else was sent there. */
export interface MeterSpan extends Span {
  /** The sum without the uncertain event. */
  records: string;
  /** Whether Stripe may have another event of the customer, too, so that its sum tells nothing. */
  isUndecided: boolean;
}

/** Since the customer's events are sent one after another, nothing else moves in the meter meanwhile. */
export async function spanOf(pool: Pool, identifier: string): Promise<MeterSpan> {
  // Stripe sums between whole minutes only.
  const { rows } = await pool.query<MeterSpan>(
    `with span as (
       select m.stripe_customer_id, date_trunc('minute', m.counted_at) as since from meter_event m where m.identifier = $1
     )
     select extract(epoch from since)::integer as "fromSeconds",
            (60 * ceil(extract(epoch from service_now()) / 60) + 60)::integer as "untilSeconds",
            (select coalesce(sum(m.records), 0)::text from meter_event m
              where m.stripe_customer_id = span.stripe_customer_id and m.state = 'sent' and m.counted_at >= span.since) as records,
            exists (select from meter_event m
              where m.stripe_customer_id = span.stripe_customer_id and m.state = 'failed' and m.counted_at >= span.since) as "isUndecided"
       from span`,
    [identifier],
  );
  return rows[0]!;
}

/**
 * An operator's decision on an event that failed.
 * @returns whether there was such an event
 * @throws AppError conflict where it is to be sent again while another one of its customer is under way
 */
export async function resolveMeterEvent(pool: Pool, identifier: string, wasCounted: boolean): Promise<boolean> {
  const updating = pool.query(
    `update meter_event
        set state = case when $2 then 'sent' else 'waiting' end,
            sent_at = case when $2 then coalesce(uncertain_since, service_now()) end,
            uncertain_since = null, next_attempt_at = service_now(), error = null
      where identifier = $1 and state = 'failed'`,
    [identifier, wasCounted],
  );
  const { rowCount } = await updating.catch((error: { constraint?: unknown }) => {
    if (error.constraint !== 'meter_event_one_at_a_time') throw error;
    throw new AppError(
      'conflict',
      `Another event of the customer is under way to Stripe: resolve ${identifier} again when that one is sent.`,
    );
  });
  return rowCount === 1;
}
