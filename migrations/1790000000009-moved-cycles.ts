import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A billing cycle that is moved has other periods from then on: what was counted before remembers the end of its own. */
export class MovedCycles1790000000009 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table meter_event add column bill_ends_at timestamptz');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table meter_event drop column bill_ends_at');
  }
}
