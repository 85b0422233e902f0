import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The payment processor's deliveries, each stored and handled exactly once. */
export class StripeEvents1790000000010 implements MigrationInterface {
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
        -- json, not jsonb: kept as signed, and jsonb refuses an escaped NUL
        payload     json        not null,
        constraint stripe_event_pkey primary key (id),
        constraint stripe_event_state_known check (state in ('stored', 'handled', 'ignored', 'failed'))
      )
    `);
    await db.query(`create index stripe_event_received on stripe_event (received_at desc)`);
    await db.query(`create index stripe_event_failed on stripe_event (received_at desc) where state = 'failed'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table stripe_event`);
  }
}
