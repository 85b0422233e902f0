import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Overage is billed as items of ours, by subtraction, and no longer reported to Stripe's meter. What the meter has counts as billed, since it
 * is on Stripe's bills or will be on the next one; what it has not is to be billed.
 */
export class OverageItems1790000000016 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create table overage_change (balance_id uuid not null, constraint overage_change_pkey primary key (balance_id))`);
    await db.query(`
      create table overage_item (
        id                 uuid        not null default gen_random_uuid(),
        balance_id         uuid        not null,
        period_start       timestamptz not null,
        period_end         timestamptz not null,
        stripe_customer_id text        not null,
        -- below zero where something is given back
        records            integer     not null,
        unit_cents         integer     not null,
        -- draft: on a subscription's; bill: one of our own; credit: on the customer's balance. Of former releases: meter: by Stripe's meter;
        -- upgrade: what no bill of Stripe's had of that
        way                text        not null,
        -- the bill that it is on
        invoice_id         text,
        -- when Stripe would have made that bill final, before we put it off; null: we did not
        finalizes_at       timestamptz,
        -- trying: whether Stripe has it is unknown; added: on a draft; billed: for good; missed: it is not there, and counts no more; void: its
        -- customer was deleted in Stripe
        state              text        not null default 'trying',
        attempts           integer     not null default 0,
        -- how often Stripe has answered that it failed; under the same idempotency key it would say so for a day
        failures           integer     not null default 0,
        next_attempt_at    timestamptz not null default service_now(),
        opened_at          timestamptz not null default service_now(),
        error              text,
        constraint overage_item_pkey primary key (id),
        constraint overage_item_way_known check (way in ('draft', 'bill', 'credit', 'meter', 'upgrade')),
        constraint overage_item_state_known check (state in ('trying', 'added', 'billed', 'missed', 'void'))
      )
    `);
    await db.query(`create index overage_item_balance on overage_item (balance_id, period_start)`);
    await db.query(`create index overage_item_customer on overage_item (stripe_customer_id)`);
    await db.query(`create index overage_item_next on overage_item (next_attempt_at) where state in ('trying', 'added')`);
    // A second one is never begun while nobody knows what became of the first.
    await db.query(`create unique index overage_item_one_at_a_time on overage_item (stripe_customer_id) where state = 'trying'`);
    await db.query(`
      create table billing_difference (
        id         text        not null,
        account_id text        not null,
        text       text        not null,
        found_at   timestamptz not null default service_now(),
        constraint billing_difference_pkey primary key (id)
      )
    `);
    await db.query('alter table subscription add column overage_at timestamptz');
    await db.query('create index subscription_overage on subscription (overage_at)');
    await db.query(takeOver);
    await db.query('alter table subscription drop column credits_sought_at');
    await db.query('drop table overage_report, meter_event, billing_credit cascade');
    await db.query(`
      drop function if exists bill_sums(text), is_undecided(subscription), last_bill_at(timestamptz, timestamptz),
        last_moment(timestamptz, timestamptz), open_billing_credits(), open_credits_of(text), open_meter_events(),
        overage_price(credit_balance)
    `);
  }

  /** Tables of the release before, empty: what they had is summed up above. */
  async down(db: QueryRunner): Promise<void> {
    await db.query('drop function if exists overage_due(text, boolean)');
    await db.query('drop table overage_change, overage_item, billing_difference cascade');
    await db.query('alter table subscription drop column overage_at, add column credits_sought_at timestamptz');
    await db.query(`
      create table overage_report (
        balance_id uuid not null, entry_id uuid not null, records integer not null, at timestamptz not null, meter_event text,
        constraint overage_report_pkey primary key (balance_id, entry_id)
      )
    `);
    await db.query(`create index overage_report_waiting on overage_report (balance_id) where meter_event is null`);
    await db.query(`
      create table meter_event (
        identifier text not null, balance_id uuid not null, stripe_customer_id text not null, period_start timestamptz not null,
        entries integer not null, records integer not null, counted_at timestamptz not null, bill_ends_at timestamptz,
        state text not null default 'waiting', attempts integer not null default 0, next_attempt_at timestamptz not null default service_now(),
        uncertain_since timestamptz, opened_at timestamptz not null default service_now(), sent_at timestamptz, error text,
        constraint meter_event_pkey primary key (identifier),
        constraint meter_event_state_known check (state in ('waiting', 'sent', 'void', 'failed'))
      )
    `);
    await db.query(`create unique index meter_event_one_at_a_time on meter_event (stripe_customer_id) where state = 'waiting'`);
    await db.query(`create index meter_event_balance on meter_event (balance_id, counted_at)`);
    await db.query(`create index meter_event_taken_back on meter_event (balance_id) where records < 0 and state = 'sent'`);
    await db.query(`
      create table billing_credit (
        id uuid not null default gen_random_uuid(), balance_id uuid not null, stripe_customer_id text not null, records integer not null,
        amount_cents bigint not null, is_of_last_bill boolean not null default false, state text not null default 'waiting',
        attempts integer not null default 0, failures integer not null default 0,
        next_attempt_at timestamptz not null default service_now(), opened_at timestamptz not null default service_now(), error text,
        constraint billing_credit_pkey primary key (id),
        constraint billing_credit_state_known check (state in ('waiting', 'given', 'void'))
      )
    `);
    await db.query(`create index billing_credit_balance on billing_credit (balance_id)`);
    await db.query(`create unique index billing_credit_last_bill on billing_credit (balance_id) where is_of_last_bill`);
  }
}

// By the functions of the release before, which a new database does not have.
const takeOver = `
do $$ begin
  update subscription set overage_at = service_now() where balance_id is not null;
  if not exists (select from meter_event) then return; end if;

  create temporary table taken_over on commit drop as
  select m.balance_id, m.period_start, period_end_after(b.period_anchor, m.period_start) as period_end, m.stripe_customer_id, m.records,
         coalesce(b.overage_unit_cents, 5) as unit_cents, m.opened_at, m.identifier,
         case when m.state in ('sent', 'void') then m.state when m.state = 'failed' or m.uncertain_since is not null then 'unknown' else 'unsent' end
           as state
    from meter_event m join credit_balance b on b.id = m.balance_id
   where m.records <> 0;

  insert into overage_item (balance_id, period_start, period_end, stripe_customer_id, records, unit_cents, way, state)
  select balance_id, period_start, period_end, stripe_customer_id, sum(records), unit_cents, 'meter',
         case state when 'sent' then 'billed' else 'void' end
    from taken_over where state in ('sent', 'void')
   group by balance_id, period_start, period_end, stripe_customer_id, unit_cents, state having sum(records) <> 0;

  -- Stripe is asked in an hour whether its meter has it. Of several of a customer the sum would not tell: they count as billed.
  insert into overage_item (balance_id, period_start, period_end, stripe_customer_id, records, unit_cents, way, state, next_attempt_at, error)
  select balance_id, period_start, period_end, stripe_customer_id, records, unit_cents, 'meter',
         case when count(*) over of_customer = 1 then 'trying' else 'void' end, service_now() + interval '1 hour',
         format('whether meter event %s has reached Stripe is unknown', identifier)
    from taken_over where state = 'unknown'
  window of_customer as (partition by stripe_customer_id);

  -- What a bill could not take back, as it does not go below zero, and nobody has given back yet: it is due below zero from here on.
  insert into overage_item (balance_id, period_start, period_end, stripe_customer_id, records, unit_cents, way, state)
  select b.id, b.period_start, b.period_end, missing.customer, missing.records, coalesce(b.overage_unit_cents, 5), 'upgrade', 'billed'
    from (
      select s.balance_id, s.stripe_customer_id as customer, -sum(least(bill.records, 0))::integer - coalesce((
               select sum(c.records) from billing_credit c
                where c.balance_id = s.balance_id and not c.is_of_last_bill and c.state <> 'waiting'
             ), 0)::integer as records
        from subscription s cross join lateral bill_sums(s.stripe_customer_id) bill
       where bill.subscription_id = s.id and s.balance_id is not null
       group by s.balance_id, s.stripe_customer_id
    ) missing join credit_balance b on b.id = missing.balance_id
   where missing.records > 0;
  insert into overage_item (id, balance_id, period_start, period_end, stripe_customer_id, records, unit_cents, way, attempts, failures)
  select c.id, b.id, b.period_start, b.period_end, c.stripe_customer_id, -c.records, c.amount_cents / c.records, 'credit', c.attempts, c.failures
    from billing_credit c join credit_balance b on b.id = c.balance_id
   where c.state = 'waiting' and c.attempts > 0 and not c.is_of_last_bill
      on conflict do nothing;

  -- The last bill that was still to be made of a subscription which has ended: Stripe has none of it.
  insert into overage_item (balance_id, period_start, period_end, stripe_customer_id, records, unit_cents, way, state)
  select b.id, b.period_start, b.period_end, s.stripe_customer_id, -l.records, coalesce(b.overage_unit_cents, 5), 'upgrade', 'billed'
    from subscription s
    join credit_balance b on b.id = s.balance_id
    join lateral bill_sums(s.stripe_customer_id) u on u.subscription_id = s.id and u.billed_at = s.ends_at
   cross join lateral (select last_bill_at(b.period_anchor, s.ends_at) = s.ends_at as with_period) e
   cross join lateral (
     select (greatest(u.records, 0) - case when with_period then greatest(u.records - u.late_records, 0) else 0 end)::integer as records
   ) l
   where s.status = 'canceled' and s.follow_at is not null and l.records > 0;
  update subscription set follow_at = null where status in ('canceled', 'incomplete_expired');
end $$`;
