import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a county was withdrawn the last time: what was current until then is not read on, whatever is loaded later. */
export class Withdrawals1790000000007 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table county add column withdrawn_at timestamptz');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table county drop column withdrawn_at');
  }
}
