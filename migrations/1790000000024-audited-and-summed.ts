import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where audits left the balances, so that the next one checks only what is new; and the sums of days that have ended. */
export class AuditedAndSummed1790000000024 implements MigrationInterface {
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
    // A job fills both.
    await db.query(`
      create table usage_hour (
        balance_id      uuid        not null,
        hour            timestamptz not null,
        token_id        uuid        not null,
        county_fips     text        not null,
        reads           integer     not null,
        county_reads    integer     not null,
        records         integer     not null,
        overage_records integer     not null,
        overage_cents   bigint      not null,
        grants          integer     not null,
        constraint usage_hour_pkey primary key (balance_id, hour, token_id, county_fips)
      )
    `);
    await db.query(`
      create table usage_day (
        day           timestamptz not null,
        balance_id    uuid        not null,
        reads         integer     not null,
        records       integer     not null,
        overage_cents bigint      not null,
        grants        integer     not null,
        tokens        integer     not null,
        constraint usage_day_pkey primary key (day, balance_id)
      )
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table audited_balance, usage_hour, usage_day');
  }
}
