import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sums of the ledger, filled by a job and before a page shows them: `src/usage/sum-usage.ts`. */
export class Usage1800000000004 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- How many entries of a balance, from its first, the sums contain.
      create table summed_balance (
        balance_id uuid    primary key,
        entries    integer not null
      );

      -- Hours, because a customer's days begin in another time zone.
      create table hourly_usage (
        balance_id      uuid        not null,
        hour            timestamptz not null,
        token_id        uuid        not null,
        county_fips     text        not null,
        reads           integer     not null, -- a read of several counties counts in the first one
        county_reads    integer     not null, -- a read of several counties counts in each
        -- minus those reversed in this hour; the same for overage
        records         integer     not null,
        overage_records integer     not null,
        overage_cents   bigint      not null,
        grants          integer     not null,
        primary key (balance_id, hour, token_id, county_fips)
      );

      -- Days (UTC), for operators.
      create table daily_usage (
        day           timestamptz not null,
        balance_id    uuid        not null,
        reads         integer     not null,
        records       integer     not null,
        overage_cents bigint      not null,
        grants        integer     not null,
        tokens        integer     not null, -- those that read
        primary key (day, balance_id)
      );
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table summed_balance, hourly_usage, daily_usage cascade');
  }
}
