import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What operators did, to whom and why: append-only, like the ledger. */
export class AdminAction1790000000006 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table admin_action (
        id     bigint      generated always as identity,
        at     timestamptz not null default service_now(),
        -- an account, or the command line
        actor  text        not null,
        action text        not null,
        -- what it was done to: an account, a token, a county…
        target text        not null,
        reason text,
        before jsonb,
        after  jsonb,
        constraint admin_action_pkey primary key (id)
      )
    `);
    await db.query(`create index admin_action_target on admin_action (target, id)`);
    await db.query(`
      create function refuse_admin_action_change() returns trigger language plpgsql as $$
      begin
        raise exception 'the audit log is append-only' using errcode = 'restrict_violation';
      end $$
    `);
    await db.query(`
      create trigger admin_action_append_only before update or delete or truncate on admin_action
        for each statement execute function refuse_admin_action_change()
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table admin_action`);
    await db.query(`drop function refuse_admin_action_change`);
  }
}
