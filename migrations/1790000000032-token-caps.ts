import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A token may have a cap of its own: `token_caps` by token id, and in `token_records` what capped tokens were charged in the present period. */
export class TokenCaps1790000000032 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query('alter table credit_balance add column token_caps jsonb, add column token_records jsonb');
    // Caps are terms. A trigger of its own, since that of the other terms would have to be made anew.
    await db.query(
      `create constraint trigger credit_balance_token_caps after update of token_caps on credit_balance
         deferrable initially deferred for each row execute function balance_terms_changed()`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop trigger credit_balance_token_caps on credit_balance');
    await db.query('alter table credit_balance drop column token_caps, drop column token_records');
  }
}
