import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sums of entries up to a number of each balance, instead of days that have ended, and where the entries of a county are. Servers of the release
 * before this one go on with `usage_hour` and `usage_day`; the next release drops both.
 */
export class UsageAsItComes1790000000035 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // A job fills all of them.
    await db.query(`
      create table summed_balance (
        balance_id uuid    not null,
        entries    integer not null,
        constraint summed_balance_pkey primary key (balance_id)
      )
    `);
    await db.query(`
      create table hourly_usage (
        like usage_hour,
        constraint hourly_usage_pkey primary key (balance_id, hour, token_id, county_fips)
      )
    `);
    await db.query('create table daily_usage (like usage_day, constraint daily_usage_pkey primary key (day, balance_id))');
    await db.query(`
      create table county_entries (
        balance_id     uuid      not null,
        county_fips    char(5)   not null,
        first_sequence integer   not null,
        sequences      integer[] not null,
        constraint county_entries_pkey primary key (balance_id, county_fips, first_sequence)
      )
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table summed_balance, hourly_usage, daily_usage, county_entries');
  }
}
