import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sums of the ledger, filled by a job and before a page shows them: `src/usage/sum-usage.ts`. */
export class Usage1800000000004 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- How many entries of a balance, from its first, the sums contain.
      create table summed_balance (
        balance_id uuid    primary key,
        entries    integer not null default 0,
        bought     integer not null default 0 -- those in the next two tables: of these, no read can be reversed any more
      );

      -- The records of a release that were paid for and received. token_id: by this token; all zeros: by any of the balance.
      create table bought_run (
        balance_id uuid           not null,
        token_id   uuid           not null,
        release_id integer        not null,
        runs       int4multirange not null, -- of ordinals
        primary key (balance_id, token_id, release_id)
      );

      -- The latest read of the same records. Dropped with their release.
      create table bought_segment (
        release_id integer not null,
        balance_id uuid    not null,
        first      integer not null,
        behind     integer not null, -- the ordinal after the last
        token_id   uuid    not null,
        entry_id   uuid    not null,
        primary key (release_id, balance_id, first, behind, token_id)
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
    await db.query('drop table summed_balance, bought_run, bought_segment, hourly_usage, daily_usage cascade');
  }
}
