import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions whose person got another role since: the first of them that is used gets a new token, the others end. */
export class SessionRenewal1790000000008 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table auth.session add column "renewalDue" boolean not null default false`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table auth.session drop column "renewalDue"`);
  }
}
