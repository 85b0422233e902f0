import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who pays: Stripe's customers, subscriptions and charges, and its deliveries, each stored and handled exactly once. */
export class Billing1790000000004 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table stripe_event (
        id          text        not null,
        type        text        not null,
        created_at  timestamptz not null,
        received_at timestamptz not null default service_now(),
        -- stored: there was no key to ask Stripe with; ignored: a type that changes nothing here
        state       text        not null default 'stored',
        handled_at  timestamptz,
        attempts    integer     not null default 0,
        error       text,
        -- json, not jsonb: kept as signed, and jsonb refuses an escaped NUL; forgotten a month after the event was settled
        payload     json,
        constraint stripe_event_pkey primary key (id),
        constraint stripe_event_state_known check (state in ('stored', 'handled', 'ignored', 'failed')),
        constraint stripe_event_kept_until_settled check (payload is not null or state in ('handled', 'ignored'))
      )
    `);
    await db.query(`create index stripe_event_received on stripe_event (received_at desc)`);
    await db.query(`create index stripe_event_failed on stripe_event (received_at desc) where state = 'failed'`);
    await db.query(`
      create table billing_customer (
        account_id          text        not null,
        -- null until Stripe has made it, and after it was deleted there
        stripe_customer_id  text,
        -- the last checkout begun, until it is known to be over
        checkout_session_id text,
        -- the idempotency key of the customer or checkout that is being made, or of which nobody knows whether it was made
        attempt_key         uuid,
        attempted_at        timestamptz,
        -- how many keys were begun since the last success: after the first a failed call may have made what is looked for
        attempts            integer     not null default 0,
        -- when Stripe is to be asked next what became of the checkout
        follow_at           timestamptz not null default service_now(),
        created_at          timestamptz not null default service_now(),
        constraint billing_customer_pkey primary key (account_id),
        constraint billing_customer_stripe_unique unique (stripe_customer_id)
      )
    `);
    await db.query(`
      create table subscription (
        id                 text        not null,
        account_id         text        not null,
        -- the account's customer at the time; Stripe's meter counts by it
        stripe_customer_id text        not null,
        status             text        not null,
        -- null until its first invoice is paid
        balance_id         uuid,
        period_start       timestamptz not null,
        period_end         timestamptz not null,
        -- when it will end (cancelled by the customer) or has ended
        ends_at            timestamptz,
        -- what an operator should look at; null: nothing
        warning            text,
        -- when Stripe is to be asked next what it is, should its events be lost; null: never
        follow_at          timestamptz,
        created_at         timestamptz not null,
        constraint subscription_pkey primary key (id),
        constraint subscription_account_fkey foreign key (account_id) references billing_customer (account_id),
        constraint subscription_balance_fkey foreign key (balance_id) references credit_balance (id),
        constraint subscription_balance_unique unique (balance_id)
      )
    `);
    await db.query(`create index subscription_follow on subscription (follow_at)`);
    await db.query(`create index subscription_account on subscription (account_id, created_at desc)`);
    // Each is overage of one balance and period, the entries summed up.
    await db.query(`
      create table meter_event (
        -- the balance and its first and last entry, so that the same run is never told of twice
        identifier         text        not null,
        balance_id         uuid        not null,
        stripe_customer_id text        not null,
        period_start       timestamptz not null,
        entries            integer     not null,
        -- below zero where more was taken back than read
        records            integer     not null,
        -- the time that Stripe is told, which decides on which bill the records are
        counted_at         timestamptz not null,
        -- void: nothing to tell, or nobody to bill; failed: whether Stripe has it is unknown, and an operator decides
        state              text        not null default 'waiting',
        attempts           integer     not null default 0,
        next_attempt_at    timestamptz not null default service_now(),
        -- the first attempt whose outcome is unknown: Stripe knows a duplicate for a day after it, and no longer
        uncertain_since    timestamptz,
        opened_at          timestamptz not null default service_now(),
        sent_at            timestamptz,
        error              text,
        constraint meter_event_pkey primary key (identifier),
        constraint meter_event_state_known check (state in ('waiting', 'sent', 'void', 'failed'))
      )
    `);
    // Stripe takes one call at a time of a customer.
    await db.query(`create unique index meter_event_one_at_a_time on meter_event (stripe_customer_id) where state = 'waiting'`);
    await db.query(`create index meter_event_balance on meter_event (balance_id, counted_at)`);
    await db.query(`
      create table billing_credit (
        id                 uuid        not null default gen_random_uuid(),
        balance_id         uuid        not null,
        stripe_customer_id text        not null,
        records            integer     not null,
        amount_cents       bigint      not null,
        -- void: the customer was deleted in Stripe
        state              text        not null default 'waiting',
        attempts           integer     not null default 0,
        -- how often Stripe has answered that it failed; under the same idempotency key it would say so for a day
        failures           integer     not null default 0,
        next_attempt_at    timestamptz not null default service_now(),
        opened_at          timestamptz not null default service_now(),
        error              text,
        constraint billing_credit_pkey primary key (id),
        constraint billing_credit_state_known check (state in ('waiting', 'given', 'void'))
      )
    `);
    await db.query(`create index billing_credit_balance on billing_credit (balance_id)`);
    await db.query(`
      create table billing_charge (
        id             text        not null,
        account_id     text        not null,
        amount_cents   bigint      not null,
        refunded_cents bigint      not null,
        is_disputed    boolean     not null,
        created_at     timestamptz not null,
        constraint billing_charge_pkey primary key (id),
        constraint billing_charge_account_fkey foreign key (account_id) references billing_customer (account_id)
      )
    `);
    await db.query(`create index billing_charge_account on billing_charge (account_id, created_at desc)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table billing_charge, billing_credit, meter_event, subscription, billing_customer, stripe_event cascade`);
  }
}
