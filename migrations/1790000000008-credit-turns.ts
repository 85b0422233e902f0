import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Customers whose reads were taken back are looked at in turns, so that none is for ever behind a thousand others. */
export class CreditTurns1790000000008 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table subscription add column credits_sought_at timestamptz');
    await db.query('create index subscription_customer on subscription (stripe_customer_id)');
    await db.query(`create index meter_event_taken_back on meter_event (balance_id) where records < 0 and state = 'sent'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index meter_event_taken_back');
    await db.query('drop index subscription_customer');
    await db.query('alter table subscription drop column credits_sought_at');
  }
}
