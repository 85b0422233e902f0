import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the outbox must remember to report every overage record once. */
export class OverageOutbox1790000000012 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // The first attempt whose outcome is unknown. Stripe knows a duplicate for a day after it, and no longer.
    await db.query(`alter table overage_report add column uncertain_since timestamptz`);
    // The end of the period that began at `start`: boundaries lie one in each calendar month, counted from the anchor.
    await db.query(`
      create function period_end_after(anchor timestamptz, start timestamptz) returns timestamptz language sql immutable
      return period_boundary(anchor, (
        12 * (extract(year from start at time zone 'UTC') - extract(year from anchor at time zone 'UTC'))
           + extract(month from start at time zone 'UTC') - extract(month from anchor at time zone 'UTC') + 1
      )::integer)
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop function period_end_after`);
    await db.query(`alter table overage_report drop column uncertain_since`);
  }
}
