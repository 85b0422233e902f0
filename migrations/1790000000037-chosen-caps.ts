import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The overage cap that was chosen at checkout waits here for the payment. */
export class ChosenCaps1790000000037 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table billing_customer
        add column chosen_cap integer,
        add column cap_chosen_at timestamptz,
        add constraint billing_customer_chosen_cap_not_negative check (chosen_cap >= 0)
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table billing_customer drop column chosen_cap, drop column cap_chosen_at');
  }
}
