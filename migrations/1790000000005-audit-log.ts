import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What operators did. */
export class AuditLog1790000000005 implements MigrationInterface {
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
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table admin_action cascade`);
  }
}
