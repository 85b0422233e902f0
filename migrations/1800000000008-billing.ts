import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stripe's customers, subscriptions and charges, overage on invoices, and Stripe's events, each stored and handled exactly once. */
export class Billing1800000000008 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table stripe_event (
        id          text        primary key,
        type        text        not null,
        created_at  timestamptz not null,
        received_at timestamptz not null default service_now(),
        state       text        not null default 'stored', -- stored: waits for a Stripe key; ignored: its type changes nothing here
        handled_at  timestamptz,
        attempts    integer     not null default 0,
        error       text,
        payload     json, -- as Stripe sent it; null: deleted 30 days after the event was handled; not jsonb, which refuses an escaped NUL
        constraint stripe_event_state_known check (state in ('stored', 'handled', 'ignored', 'failed')),
        constraint stripe_event_kept_until_settled check (payload is not null or state in ('handled', 'ignored'))
      );
      create index stripe_event_received on stripe_event (received_at desc);
      create index stripe_event_failed on stripe_event (received_at desc) where state = 'failed';

      -- How far we have read Stripe's list of events.
      create table stripe_events_read (
        is_only     boolean     primary key default true constraint stripe_events_read_has_one_row check (is_only),
        until       timestamptz not null, -- by Stripe's clock
        at          timestamptz not null -- by ours
      );

      -- When the next call to Stripe may start, for all servers together. Unlogged: after a crash of Postgres it may start at once.
      create unlogged table stripe_pace (
        kind    text        primary key constraint stripe_pace_kind_known check (kind in ('read', 'write')),
        next_at timestamptz not null
      );

      create table billing_customer (
        account_id          text        primary key,
        -- null until it exists in Stripe, and after its deletion there
        stripe_customer_id  text constraint billing_customer_stripe_unique unique,
        checkout_session_id text, -- the last checkout, until we know that it is over
        attempt_key         uuid, -- the idempotency key of a customer or checkout whose creation is running or has an unknown outcome
        attempted_at        timestamptz,
        -- number of keys since the last success: after the first, a failed call may have made what is looked for
        attempts            integer     not null default 0,
        -- The overage cap chosen at the last checkout, until its payment; null: none. If cap_chosen_at is null, no checkout asked for one.
        chosen_cap          integer constraint billing_customer_chosen_cap_not_negative check (chosen_cap >= 0),
        cap_chosen_at       timestamptz,
        compared_at         timestamptz, -- when its books were last compared with Stripe's; null: never
        compared_heads      integer     not null default 0, -- how many ledger heads its invoices named then
        created_at          timestamptz not null default service_now()
      );

      -- A subscription as last fetched from Stripe.
      create table subscription (
        id                 text        primary key,
        account_id         text        not null constraint subscription_account_fkey references billing_customer (account_id),
        stripe_customer_id text        not null, -- the account's customer at the time
        status             text        not null,
        balance_id         uuid constraint subscription_balance_fkey references credit_balance (id), -- null until its first invoice is paid
        period_start       timestamptz not null,
        period_end         timestamptz not null,
        ends_at            timestamptz, -- when it will end (cancelled by the customer) or has ended
        warning            text, -- what an operator should look at; null: nothing
        unpaid_bill        text, -- the page of an overage bill that is not paid yet; null: none is open
        -- whether the payment of that bill failed, so that the balance has no overage until it is paid
        is_overage_stopped boolean     not null default false,
        kept_cap           integer, -- the cap that the customer chose: the balance's, unless its overage is stopped
        created_at         timestamptz not null,
        constraint subscription_balance_unique unique (balance_id)
      );
      create index subscription_account on subscription (account_id, created_at desc);
      create index subscription_customer on subscription (stripe_customer_id);

      -- Overage of a balance's period that was put on an invoice or given back. A period's items add up to what was billed of it.
      create table overage_item (
        -- also in the metadata of the Stripe item, and in its idempotency key
        id                 uuid        primary key default gen_random_uuid(),
        balance_id         uuid        not null,
        period_start       timestamptz not null,
        -- Which item of its period it is. Of two servers that bill the same difference, one stores it.
        number             integer     not null,
        period_end         timestamptz not null,
        stripe_customer_id text        not null,
        records            integer     not null, -- negative: given back
        unit_cents         integer     not null,
        -- draft: on a subscription's invoice; bill: on an invoice of our own; credit: on the customer's balance
        way                text        not null constraint overage_item_way_known check (way in ('draft', 'bill', 'credit')),
        invoice_id         text,
        -- trying: whether Stripe has it is unknown; added: on a draft; billed: for good; missed: Stripe does not have it, so it no longer
        -- counts; void: forgiven, because the
        -- customer was deleted in Stripe, or given back of what was never paid
        state              text        not null default 'trying',
        attempts           integer     not null default 0,
        -- how often Stripe's answer was final; under the same idempotency key it would repeat that for a day
        failures           integer     not null default 0,
        opened_at          timestamptz not null default service_now(),
        error              text,
        constraint overage_item_state_known check (state in ('trying', 'added', 'billed', 'missed', 'void')),
        constraint overage_item_number_unique unique (balance_id, period_start, number)
      );
      create index overage_item_customer on overage_item (stripe_customer_id);
      -- The next one begins when the outcome of this one is known.
      create unique index overage_item_one_at_a_time on overage_item (stripe_customer_id) where state = 'trying';

      -- Payments that were refunded or disputed.
      create table billing_charge (
        id             text        primary key,
        account_id     text        not null constraint billing_charge_account_fkey references billing_customer (account_id),
        amount_cents   bigint      not null,
        refunded_cents bigint      not null,
        is_disputed    boolean     not null,
        created_at     timestamptz not null
      );
      create index billing_charge_account on billing_charge (account_id, created_at desc);

      -- Differences between the ledger and Stripe in the latest comparison.
      create table billing_difference (
        -- says what differs and by how much, so an acknowledged difference is not reported again, and one that grows is
        id         text        primary key,
        account_id text        not null,
        text       text        not null,
        kind       text        not null, -- bills, ledger or subscription
        found_at   timestamptz not null default service_now()
      );
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(
      'drop table stripe_event, stripe_events_read, stripe_pace, billing_charge, billing_difference, overage_item, subscription, billing_customer cascade',
    );
  }
}
