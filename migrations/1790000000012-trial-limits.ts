import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An operator may lift the limits of trials for an account. */
export class TrialLimits1790000000012 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table auth."user" add column "trialLimitLifted" boolean not null default false');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table auth."user" drop column "trialLimitLifted"');
  }
}
