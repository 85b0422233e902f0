import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who pays: Stripe's customers and subscriptions, and how a balance follows its subscription. */
export class Subscriptions1790000000011 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table billing_customer (
        account_id          text        not null,
        stripe_customer_id  text        not null,
        -- the last checkout begun: going back to it, rather than opening another, is what keeps people from subscribing twice
        checkout_session_id text,
        created_at          timestamptz not null default service_now(),
        constraint billing_customer_pkey primary key (account_id),
        constraint billing_customer_stripe_unique unique (stripe_customer_id)
      )
    `);
    await db.query(`
      create table subscription (
        id           text        not null,
        account_id   text        not null,
        status       text        not null,
        -- null until its first invoice is paid
        balance_id   uuid,
        period_start timestamptz not null,
        period_end   timestamptz not null,
        -- when it will end (cancelled by the customer) or has ended
        ends_at      timestamptz,
        created_at   timestamptz not null,
        constraint subscription_pkey primary key (id),
        constraint subscription_account_fkey foreign key (account_id) references billing_customer (account_id),
        constraint subscription_balance_fkey foreign key (balance_id) references credit_balance (id),
        constraint subscription_balance_unique unique (balance_id)
      )
    `);
    await db.query(`create index subscription_account on subscription (account_id, created_at desc)`);
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
    // The balance of a subscription whose first invoice is paid, with the grant of its current period.
    await db.query(`
      create function open_subscription_balance(
        p_account_id text, p_grant_records integer, p_overage_unit_cents integer,
        p_anchor timestamptz, p_start timestamptz, p_end timestamptz, p_ends_at timestamptz
      ) returns uuid language plpgsql as $$
      declare b credit_balance;
      begin
        insert into credit_balance
          (account_id, plan, grant_records, overage_unit_cents, period_anchor, period_start, period_end, ends_at, is_metered)
        values (p_account_id, 'paid', p_grant_records, p_overage_unit_cents, p_anchor, p_start, p_end, p_ends_at, true)
        returning * into b;
        b := open_period(b, p_start, p_end);
        return b.id;
      end $$
    `);
    // Brings a balance to what its subscription is now, so that it may be called any number of times in any order.
    // A period newer than the balance's is opened here when its invoice is paid, else by the first read (open_due_period).
    await db.query(`
      create function follow_subscription(
        p_balance_id uuid, p_anchor timestamptz, p_start timestamptz, p_end timestamptz, p_ends_at timestamptz, p_is_paid boolean
      ) returns void language plpgsql as $$
      declare b credit_balance;
      begin
        select * into strict b from credit_balance where id = p_balance_id for update;
        update credit_balance
           set period_anchor = p_anchor,
               ends_at = p_ends_at,
               period_end = case when period_start = p_start then p_end else period_end end
         where id = b.id
        returning * into b;
        if p_is_paid and p_start > b.period_start then
          b := open_period(b, p_start, p_end);
        end if;
      end $$
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop function follow_subscription, open_subscription_balance`);
    await db.query(`drop table billing_charge, subscription, billing_customer`);
  }
}
