import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where audits left the balances, so that the next one checks only what is new. */
export class AuditedBalances1790000000024 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table audited_balance (
        balance_id      uuid        not null,
        entries         integer     not null,
        head            bytea       not null,
        remaining       integer     not null,
        overage_records integer     not null,
        period_start    timestamptz not null,
        constraint audited_balance_pkey primary key (balance_id)
      )
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table audited_balance');
  }
}
