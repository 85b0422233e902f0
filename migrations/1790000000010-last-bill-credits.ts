import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What Stripe has billed too much when a subscription was ended with a bill at once is given back once, beside what no bill could take back. */
export class LastBillCredits1790000000010 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table billing_credit add column is_of_last_bill boolean not null default false');
    await db.query('create unique index billing_credit_last_bill on billing_credit (balance_id) where is_of_last_bill');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop index billing_credit_last_bill');
    await db.query('alter table billing_credit drop column is_of_last_bill');
  }
}
